import { themeVariables } from './topology-style';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The whole graph as an SVG file with its style sheet, without pan and zoom, in the colours of the current theme. */
export function serialiseTopology(svg: SVGSVGElement, { width, height }: Size): string {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return '';
  const theme = getComputedStyle(svg);
  copy.removeAttribute('style');
  copy.querySelector(':scope > style')?.removeAttribute('nonce');
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
