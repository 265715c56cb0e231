# SPDX-License-Identifier: Apache-2.0
"""The mean of the weights of several small classifiers of lines that were trained from the same start (model soups, arXiv:2203.05482).

    python mean_words.py OUT.bin ONE.bin OTHER.bin ...
"""
import pathlib
import sys

from lib import detector, word_classifier


def main(out, *files):
    classes = len(detector.Classifier(pathlib.Path(files[0])).out[1])
    models = [word_classifier.stored(file, classes) for file in files]
    (model, vocabulary), states = models[0], [own.state_dict() for own, _ in models]
    assert all(own.rows == vocabulary.rows for _, own in models), "of other words"
    model.load_state_dict({name: sum(state[name] for state in states) / len(states) for name in states[0]})
    word_classifier.save(model, vocabulary, out)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
