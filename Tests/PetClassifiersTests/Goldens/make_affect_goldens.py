# SPDX-License-Identifier: Apache-2.0
"""Makes the clips in affect/ and affect.json: what others measure in them.

Speech of people: test data of PocketSphinx (PyPI pocketsphinx 5.1.1, BSD; the five of librivox are in the public domain); of machines:
espeak-ng at several pitches and speeds. Measured by: Silero VAD in onnxruntime, Praat (praat-parselmouth), librosa, scipy. No code of ours.

usage: make_affect_goldens.py [--sphinx pocketsphinx-5.1.1/test/data] --silero silero_vad.onnx   (writes beside itself)
Without --sphinx the clips that are there are measured.
"""

import argparse
import io
import json
import math
import pathlib
import subprocess

import librosa
import numpy as np
import onnxruntime
import parselmouth
import soundfile
from parselmouth.praat import call
from scipy.signal import find_peaks

HERE = pathlib.Path(__file__).parent
RATE, STEP, WINDOW, FRAME, FFT = 16_000, 160, 640, 400, 512
PEOPLE = [
    "cards/001.wav", "cards/002.wav", "cards/003.wav", "cards/004.wav", "cards/005.wav", "goforward.raw", "something.raw",
    "librivox/sense_and_sensibility_01_austen_64kb-0880.wav", "librivox/sense_and_sensibility_01_austen_64kb-0930.wav",
]
MACHINES = [
    ("en-us", 50, 175), ("en-us", 20, 120), ("en-us", 90, 230), ("en-gb+f3", 50, 175), ("en-gb+f3", 80, 140),
    ("en-us+m4", 30, 175), ("en-us+m4", 60, 220), ("de+f2", 50, 160), ("de+f2", 90, 200), ("fr", 40, 175), ("it+f4", 60, 190),
    ("es+m2", 40, 170), ("en-us+f5", 50, 130),
]  # fmt: skip
SENTENCE = "Good morning! I made some soup for dinner."


def clips(sphinx):
    for name in PEOPLE:
        path = sphinx / name
        raw = path.suffix == ".raw"
        options = {"format": "RAW", "samplerate": RATE, "channels": 1, "subtype": "PCM_16"} if raw else {}
        samples, rate = soundfile.read(path, **options)
        assert rate == RATE
        yield "people-" + path.stem.split("_64kb-")[-1], samples
    for voice, pitch, speed in MACHINES:
        command = ["espeak-ng", "-v", voice, "-p", str(pitch), "-s", str(speed), "--stdout", SENTENCE]
        wave = subprocess.run(command, check=True, capture_output=True).stdout
        # Its header says nothing of the size: the samples follow 44 bytes.
        samples, rate = soundfile.read(io.BytesIO(wave[44:]), format="RAW", samplerate=22050, channels=1, subtype="PCM_16")
        yield f"espeak-{voice}-{pitch}-{speed}".replace("+", "-"), librosa.resample(samples, orig_sr=rate, target_sr=RATE)


def speech_probabilities(session, samples):
    state, context, found = np.zeros((2, 1, 128), np.float32), np.zeros(64, np.float32), []
    padded = np.pad(samples, (0, -len(samples) % 512))
    for piece in padded.reshape(-1, 512):
        feed = {"input": np.concatenate([context, piece])[None], "state": state, "sr": np.array(RATE)}
        probability, state = session.run(None, feed)
        context = piece[-64:]
        found.append(float(probability[0, 0]))
    return found


def decibels(power):
    return 10 * np.log10(np.maximum(power, 1e-10))


def syllables(energies):
    smooth = np.array([energies[max(0, at - 3) : at + 4].mean() for at in range(len(energies))])
    peaks, _ = find_peaks(smooth, prominence=2, height=smooth.max() - 25)
    return peaks.tolist()


def numbers(values, digits):
    return [None if math.isnan(value) else round(float(value), digits) for value in values]


def measured(samples, session):
    count = (len(samples) - WINDOW) // STEP + 1
    # Praat centres its frames in the sound: of this length they lie where ours do, to a sample.
    part = parselmouth.Sound(samples[: (count - 1) * STEP + WINDOW + 2].astype(np.float64), RATE)
    pitch = part.to_pitch_ac(time_step=0.01, pitch_floor=75, pitch_ceiling=600)
    assert pitch.n_frames == count and abs(pitch.t1 * RATE - WINDOW / 2) < 1.01
    cycles = call([part, pitch], "To PointProcess (cc)")
    start = (WINDOW - FRAME) // 2
    power = librosa.feature.rms(y=samples[start:], frame_length=FRAME, hop_length=STEP, center=False)[0, :count] ** 2
    # librosa puts the window of 400 in the middle of the transform of 512.
    spectrum = {"n_fft": FFT, "win_length": FRAME, "hop_length": STEP, "center": False}
    centroid = librosa.feature.spectral_centroid(y=samples[start - (FFT - FRAME) // 2 :], sr=RATE, **spectrum)[0, :count]
    powers = np.abs(librosa.stft(samples[start - (FFT - FRAME) // 2 :], **spectrum))[:, :count] ** 2
    frequencies = librosa.fft_frequencies(sr=RATE, n_fft=FFT)
    low, high = ((frequencies >= at) & (frequencies < to) for at, to in ((50, 1000), (1000, 5000)))
    energies = decibels(power)
    return {
        "speech": numbers(speech_probabilities(session, samples), 6),
        "pitch": [round(float(value), 2) if value > 0 else None for value in pitch.selected_array["frequency"]],
        "energy": numbers(energies, 3),
        "centroid": numbers(centroid, 2),
        "tilt": numbers(decibels(powers[low].sum(axis=0)) - decibels(powers[high].sum(axis=0)), 3),
        "syllables": syllables(energies),
        "jitter": call(cycles, "Get jitter (local)", 0, 0, 0.0001, 0.02, 1.3),
        "shimmer": call([part, cycles], "Get shimmer (local)", 0, 0, 0.0001, 0.02, 1.3, 1.6),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sphinx", type=pathlib.Path)
    parser.add_argument("--silero", required=True)
    arguments = parser.parse_args()

    session = onnxruntime.InferenceSession(arguments.silero, providers=["CPUExecutionProvider"])
    if arguments.sphinx:
        for name, samples in clips(arguments.sphinx):
            # A faint noise, as every microphone has; digital silence has no spectrum.
            noise = np.random.default_rng(1).normal(0, 1e-3, len(samples))
            soundfile.write(HERE / "affect" / f"{name}.wav", (samples + noise)[: 3 * RATE], RATE, subtype="ULAW")
    paths = sorted((HERE / "affect").glob("*.wav"))
    goldens = {path.stem: measured(soundfile.read(path, dtype="float32")[0], session) for path in paths}
    with open(HERE / "affect.json", "w", encoding="utf-8") as file:
        json.dump(goldens, file, separators=(",", ":"))


if __name__ == "__main__":
    main()
