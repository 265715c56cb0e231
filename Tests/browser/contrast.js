// The texts that are seen whose contrast is below WCAG 2.2 AA (1.4.3), each with its ratio.
(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

  /// Of colours that lie over each other, the lowest first; whatever form CSS writes them in.
  function seen(colors) {
    canvas.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }

  function luminance(color) {
    const [r, g, b] = color.map((byte) => {
      const value = byte / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(node) {
    const grounds = [];
    for (let under = node; under; under = under.parentElement) grounds.unshift(getComputedStyle(under).backgroundColor);
    const [dark, light] = [seen(grounds), seen([...grounds, getComputedStyle(node).color])].map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  function isLarge(node) {
    const { fontSize, fontWeight } = getComputedStyle(node);
    return parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24);
  }

  const hasText = (node) => [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
  const texts = [...document.body.querySelectorAll("*")].filter((node) =>
    node instanceof HTMLElement && node.checkVisibility() && hasText(node) && !node.closest(".unseen"));
  const poor = texts.map((node) => [node.textContent.trim().slice(0, 40), contrast(node), isLarge(node) ? 3 : 4.5])
    .filter(([, ratio, least]) => ratio < least).map(([text, ratio]) => `${text}: ${ratio.toFixed(2)}`);
  return { count: texts.length, poor };
})()
