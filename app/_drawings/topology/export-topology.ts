import { themeVariables } from './topology-style';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Browsers refuse larger canvases, or take gigabytes for them. */
const largestSidePx = 8192;
const pngScale = 2;

/**
 * The whole picture as an SVG file's text: unpanned, unzoomed, in the colours of the present theme. Its style sheet is
 * inside it; where the fonts are not installed, the next ones in the list are used.
 */
export function serialiseTopology(svg: SVGSVGElement, { width, height }: Size): string {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return '';
  const theme = getComputedStyle(svg);
  copy.removeAttribute('style');
  for (const name of Object.keys(themeVariables)) {
    const value = theme.getPropertyValue(name);
    if (value !== '') copy.style.setProperty(name, value);
  }
  copy.setAttribute('class', 'topology');
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.querySelector(':scope > g')?.removeAttribute('transform');
  copy.querySelector('.heads')?.removeAttribute('transform');
  for (const node of copy.querySelectorAll<SVGElement>('.node')) node.style.removeProperty('transform');
  for (const lit of copy.querySelectorAll('.lit, .dim')) lit.classList.remove('lit', 'dim');
  const surface = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  surface.setAttribute('width', '100%');
  surface.setAttribute('height', '100%');
  surface.style.setProperty('fill', 'var(--t-surface)');
  copy.insertBefore(surface, copy.querySelector(':scope > g'));
  return new XMLSerializer().serializeToString(copy);
}

export function downloadSvg(svg: SVGSVGElement, size: Size, fileName: string): void {
  download(new Blob([serialiseTopology(svg, size)], { type: 'image/svg+xml' }), `${fileName}.svg`);
}

/** At twice the size, or as large as a canvas may be. Throws when the browser cannot draw it. */
export async function downloadPng(svg: SVGSVGElement, size: Size, fileName: string): Promise<void> {
  const source = new Blob([serialiseTopology(svg, size)], { type: 'image/svg+xml' });
  const url = URL.createObjectURL(source);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(pngScale, largestSidePx / size.width, largestSidePx / size.height);
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(size.width * scale);
    canvas.height = Math.ceil(size.height * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (png === null) throw new Error(`expected a PNG of ${canvas.width} x ${canvas.height}, got nothing`);
    download(png, `${fileName}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function download(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The click has started the download; the name for the bytes is not needed beyond this turn.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
