interface Size {
  readonly width: number;
  readonly height: number;
}

/** Browsers reject larger canvases, or take gigabytes for them. */
const largestSidePx = 8192;
const pngScale = 2;

/** `svg`: a whole SVG file's text. */
export function saveSvg(svg: string, fileName: string): void {
  save(new Blob([svg], { type: 'image/svg+xml' }), `${fileName}.svg`);
}

/** At twice the size, or as large as a canvas may be. Throws when the browser cannot draw it. */
export async function savePng(svg: string, size: Size, fileName: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
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
    save(png, `${fileName}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function save(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The click has started the download; the name for the bytes is not needed beyond this turn.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
