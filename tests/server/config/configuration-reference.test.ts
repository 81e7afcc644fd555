import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configFile, startOptionGroups } from '@/server/config/config';
import { buildConfigurationReference } from '@/server/config/configuration-reference';

const file = new URL('../../../docs/configuration.md', import.meta.url);

describe('docs/configuration.md', () => {
  it('is generated from the settings (XDSCOPE_WRITE_DOCS=1 writes it)', () => {
    const text = buildConfigurationReference(startOptionGroups, configFile);
    if (process.env.XDSCOPE_WRITE_DOCS === '1') writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('has a meaning for every setting and every field', () => {
    const rows = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter((row) => /\| *\|$/.test(row))).toEqual([]);
  });
});
