import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { themeVariables } from '@/app/_drawings/topology/topology-style';
import { graphNodeStatuses } from '@/lib/views/drawing/node-status';
import { statusShape } from '@/lib/views/drawing/status-shape';

const css = readFileSync(path.resolve(__dirname, '../../app/globals.css'), 'utf8');

/** The custom properties of the first rule with this selector. */
function readTokens(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  expect(start, selector).toBeGreaterThan(-1);
  const body = css.slice(start, css.indexOf('}', start));
  return new Map(
    [...body.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** WCAG 2.2, relative luminance and contrast ratio. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const light = readTokens(':root');
const dark = readTokens('@utility dark-colours');
const surfaces = ['--surface', '--surface-raised', '--surface-sunken', '--surface-hover', '--accent-soft'];

describe.each([
  ['light', light],
  ['dark', dark],
])('the %s theme', (_, tokens) => {
  const textColors = [...tokens].filter(([name]) =>
    /^--(?:status-|type-|text|text-muted$|accent$)/.test(name),
  );

  it.each(textColors)('%s has a contrast of 4.5:1 on every surface', (_name, color) => {
    for (const surface of surfaces) {
      expect(contrast(color, tokens.get(surface) ?? ''), surface).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(['--border-strong', '--focus'])('%s has a contrast of 3:1 to every surface', (name) => {
    for (const surface of surfaces.slice(0, 3)) {
      expect(contrast(tokens.get(name) ?? '', tokens.get(surface) ?? ''), surface).toBeGreaterThanOrEqual(3);
    }
  });

  it('text on the accent color has a contrast of 4.5:1', () => {
    expect(contrast(tokens.get('--on-accent') ?? '', tokens.get('--accent') ?? '')).toBeGreaterThanOrEqual(
      4.5,
    );
  });

  it('has a color for every status', () => {
    for (const status of graphNodeStatuses)
      expect([...tokens.keys()]).toContain(statusShape(status).variable);
  });
});

test('exported graphs have the color of every status in the light theme', () => {
  for (const status of graphNodeStatuses) {
    const { variable } = statusShape(status);
    expect(themeVariables[variable], status).toBe(light.get(variable));
  }
});

describe('themes', () => {
  it.each([':root:not([data-theme="light"])', ':root[data-theme="dark"]'])(
    '%s has the dark theme',
    (selector) => {
      const [, rule = ''] = css.split(`${selector} {`);
      expect(rule.trim().startsWith('@apply dark-colours;')).toBe(true);
    },
  );

  it('light and dark have the same tokens', () => {
    const colors = [...light].filter(([, value]) => value.startsWith('#')).map(([name]) => name);
    expect([...dark.keys()]).toEqual(colors);
  });
});
