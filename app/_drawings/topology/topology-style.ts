import { detailFontPx, nameFontPx } from '@/lib/views/graph/node-text';

/** The theme variables of the picture, with values for an exported file. */
export const themeVariables: Readonly<Record<`--${string}`, string>> = {
  '--surface': '#f5f6f8',
  '--surface-raised': '#ffffff',
  '--border': '#dbdfe6',
  '--border-strong': '#7b8492',
  '--text': '#161a20',
  '--text-muted': '#545e6d',
  '--accent': '#3a4cc0',
  '--focus': '#3a4cc0',
  '--status-acked': '#0b6b5a',
  '--status-requested': '#1f62a8',
  '--status-nacked': '#b3340a',
  '--status-does-not-exist': '#83389a',
  '--status-received-error': '#ad1552',
  '--status-timeout': '#855600',
  '--status-unknown': '#59626f',
  '--status-healthy': '#0b6b5a',
  '--status-unhealthy': '#b3340a',
  '--status-draining': '#855600',
  '--status-degraded': '#855600',
  '--status-warming': '#855600',
  '--status-no-answer': '#855600',
  '--status-active': '#0b6b5a',
  '--status-missing': '#83389a',
  '--type-listener': '#4c5f96',
  '--type-route': '#2f6b78',
  '--type-cluster': '#6d5a8e',
  '--type-endpoint': '#66643a',
};

/** A theme variable with its fallback for an exported file. */
export function themed(variable: string): string {
  return `var(--t${variable.slice(1)})`;
}

const variables = Object.entries(themeVariables).map(
  ([name, value]) => `--t${name.slice(1)}: var(${name}, ${value});`,
);
const sans = 'Inter Variable, Inter, ui-sans-serif, system-ui, sans-serif';
const mono = 'JetBrains Mono Variable, JetBrains Mono, ui-monospace, SFMono-Regular, Menlo, monospace';

/**
 * The style sheet is part of the picture, so that exports look the same. It must not contain quotes,
 * ampersands or angle brackets, which React escapes on the server.
 */
export const topologyStyle = `
.topology { ${variables.join(' ')} font-family: ${sans}; user-select: none; }
.topology text { fill: ${themed('--text')}; }
.topology .heading { font-size: 11px; font-weight: 600; letter-spacing: 0.02em; fill: ${themed('--text-muted')}; }
.topology .heads-ground { fill: ${themed('--surface')}; }
.topology .rule { stroke: ${themed('--border')}; }
.topology .edge { fill: none; stroke: ${themed('--border-strong')}; stroke-opacity: 0.55; stroke-width: 1.25; }
.topology .edge-mirror, .topology .edge-aggregate.later { stroke-dasharray: 5 3; }
.topology .edge-tls { stroke-dasharray: 1.5 3; stroke-linecap: round; }
.topology .edge.lit { stroke: ${themed('--accent')}; stroke-opacity: 1; stroke-width: 1.75; }
.topology .edge.dim { stroke-opacity: 0.14; }
.topology .label { font-size: 10px; font-variant-numeric: tabular-nums; text-anchor: middle; dominant-baseline: central;
  fill: ${themed('--text-muted')}; paint-order: stroke; stroke: ${themed('--surface')}; stroke-width: 4px; stroke-linejoin: round; }
.topology .label.lit { fill: ${themed('--accent')}; font-weight: 600; }
.topology .label.dim { opacity: 0.2; }
.topology .node { cursor: pointer; outline: none; }
.topology .box { fill: ${themed('--surface-raised')}; stroke: ${themed('--border')}; stroke-width: 1; }
.topology .hue { fill: var(--hue); }
.topology .name { font-family: ${mono}; font-size: ${nameFontPx}px; }
.topology .detail { font-size: ${detailFontPx}px; fill: ${themed('--text-muted')}; font-variant-numeric: tabular-nums; }
.topology .mark { stroke: var(--tone); fill: none; stroke-linecap: round; stroke-linejoin: round; }
.topology .mark.filled { fill: var(--tone); stroke: none; }
.topology .trouble .box { stroke: var(--tone); }
.topology .trouble .tint { fill: var(--tone); fill-opacity: 0.09; }
.topology .trouble .detail { fill: ${themed('--text')}; }
.topology .absent .box { stroke-dasharray: 4 3; stroke: ${themed('--border-strong')}; }
.topology .absent.trouble .box { stroke: var(--tone); }
.topology .absent .name { fill: ${themed('--text-muted')}; }
.topology .use-ignored .box, .topology .use-unused .box, .topology .use-ignored .stack, .topology .use-unused .stack {
  fill: ${themed('--surface')}; stroke: ${themed('--border-strong')}; stroke-dasharray: 2 3; }
.topology .use-ignored .name, .topology .use-unused .name { fill: ${themed('--text-muted')}; }
.topology .use-ignored .hue, .topology .use-unused .hue { fill: ${themed('--border-strong')}; }
.topology .use-dangling .box { stroke: ${themed('--status-missing')}; stroke-dasharray: 4 3; }
.topology .use-dangling.trouble .box { stroke: ${themed('--status-missing')}; }
.topology .is-added .box { stroke: ${themed('--status-acked')}; stroke-width: 2; }
.topology .is-changed .box { stroke: ${themed('--status-requested')}; stroke-width: 2; }
.topology .is-removed .box { stroke: ${themed('--status-does-not-exist')}; stroke-width: 2; stroke-dasharray: 5 4; fill: ${themed('--surface')}; }
.topology .is-removed .name { fill: ${themed('--text-muted')}; text-decoration: line-through; }
.topology .badge-ground { fill: ${themed('--surface')}; stroke: var(--use); stroke-opacity: 0.5; }
.topology .roll-up { fill: ${themed('--surface')}; stroke: var(--tone); stroke-opacity: 0.5; }
.topology .badge { fill: none; stroke: var(--use); stroke-width: 1.75; stroke-linecap: round; }
.topology .stack { fill: ${themed('--surface-raised')}; stroke: ${themed('--border')}; }
.topology .standing-for .name { font-family: ${sans}; font-weight: 600; }
.topology .node:hover .box, .topology .node.lit .box { stroke: ${themed('--border-strong')}; }
.topology .trouble.lit .box, .topology .trouble:hover .box { stroke: var(--tone); }
.topology .node.dim { opacity: 0.36; }
.topology .ring { fill: none; stroke: none; }
.topology .match .ring { stroke: ${themed('--accent')}; stroke-width: 1.5; stroke-dasharray: 3 2; }
.topology .selected .ring { stroke: ${themed('--accent')}; stroke-width: 2; stroke-dasharray: none; }
.topology .node:focus-visible .ring { stroke: ${themed('--focus')}; stroke-width: 2.5; stroke-dasharray: none; }
.topology .legend { font-size: 11px; fill: ${themed('--text-muted')}; }
@media (prefers-reduced-motion: no-preference) {
  .topology.glides .node { transition: transform 200ms ease-out, opacity 120ms; }
  .topology.glides .edge { transition: d 200ms ease-out, stroke-opacity 120ms; }
  .topology.glides .label { transition: opacity 120ms; }
}
`;
