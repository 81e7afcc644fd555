import { saveFile } from '@/app/_components/save-file';

export interface Picture {
  /** The text of an SVG file. */
  readonly svg: string;
  /** The width in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** Browsers reject larger canvases, or use gigabytes of memory for them. */
const largestSidePx = 8192;
const pngScale = 2;

export function saveSvg({ svg }: Picture, fileName: string): void {
  saveFile(new Blob([svg], { type: 'image/svg+xml' }), `${fileName}.svg`);
}

/** Scales by two, within the limit of canvases. Throws if the browser cannot draw the picture. */
export async function savePng({ svg, width, height }: Picture, fileName: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(pngScale, largestSidePx / width, largestSidePx / height);
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (png === null) throw new Error(`expected a PNG of ${canvas.width} x ${canvas.height}, got nothing`);
    saveFile(png, `${fileName}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
}
