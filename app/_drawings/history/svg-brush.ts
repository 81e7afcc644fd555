import { escapeXml } from './escape-xml';
import type { HistoryBrush } from './paint-history';

/** Records paint calls as SVG, to save and compare pictures. */
export class SvgBrush implements HistoryBrush {
  readonly elements: string[] = [];
  fillStyle: HistoryBrush['fillStyle'] = '';
  strokeStyle: HistoryBrush['strokeStyle'] = '';
  globalAlpha = 1;
  lineWidth = 1;
  font = '';
  textAlign: CanvasTextAlign = 'start';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  #path = '';
  #dash: number[] = [];
  #shift = '';

  setTransform(): void {
    this.#shift = '';
  }
  translate(x: number, y: number): void {
    this.#shift = x === 0 && y === 0 ? '' : ` transform="translate(${round(x)} ${round(y)})"`;
  }
  clearRect(): void {
    this.elements.length = 0;
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    const box = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
    this.add(`<rect ${box} ${this.#filling()}${this.#shift}/>`);
  }
  beginPath(): void {
    this.#path = '';
  }
  moveTo(x: number, y: number): void {
    this.#path += `M${round(x)} ${round(y)}`;
  }
  lineTo(x: number, y: number): void {
    this.#path += `L${round(x)} ${round(y)}`;
  }
  roundRect(x: number, y: number, width: number, height: number): void {
    this.#path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`;
  }
  fill(): void {
    this.add(`<path d="${this.#path}" ${this.#filling()}${this.#shift}/>`);
  }
  stroke(): void {
    const dash = this.#dash.length === 0 ? '' : ` stroke-dasharray="${this.#dash.join(' ')}"`;
    this.add(
      `<path d="${this.#path}" fill="none" stroke="${String(this.strokeStyle)}"${dash}${this.#shift}/>`,
    );
  }
  fillText(text: string, x: number, y: number): void {
    const place = `x="${round(x)}" y="${round(y)}" text-anchor="middle" dominant-baseline="middle" font-size="10"`;
    this.add(`<text ${place} ${this.#filling()}${this.#shift}>${escapeXml(text)}</text>`);
  }
  measureText(text: string): TextMetrics {
    const width = text.length * 6;
    const zero = 0;
    return {
      width,
      actualBoundingBoxAscent: zero,
      actualBoundingBoxDescent: zero,
      actualBoundingBoxLeft: zero,
      actualBoundingBoxRight: width,
      alphabeticBaseline: zero,
      emHeightAscent: zero,
      emHeightDescent: zero,
      fontBoundingBoxAscent: zero,
      fontBoundingBoxDescent: zero,
      hangingBaseline: zero,
      ideographicBaseline: zero,
    };
  }
  setLineDash(dash: number[]): void {
    this.#dash = dash;
  }

  add(element: string): void {
    this.elements.push(element);
  }

  #filling(): string {
    const opacity = this.globalAlpha === 1 ? '' : ` opacity="${this.globalAlpha}"`;
    return `fill="${String(this.fillStyle)}"${opacity}`;
  }
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}
