import { expect, it } from 'vitest';
import { whyNoClient } from '@/lib/facts/no-client';

const plane = { vantage: 'dump', side: 'control-plane' } as const;
const dump = { vantage: 'dump', side: 'client' } as const;
const row = { stage: 'active', isStatic: false, lastUpdated: null } as const;

it('no client is known to run what a control plane alone states', () => {
  expect(whyNoClient({ reports: [plane], rows: [] })).toMatch(/^no client .* what a control plane/);
  expect(whyNoClient({ reports: [{ ...plane, vantage: 'istiod' }], rows: [] })).not.toBe('');
  expect(whyNoClient({ reports: [plane, { ...dump, vantage: 'csds' }], rows: [] })).toBe('');
  // Load reports are of a client, and contain no resources.
  expect(whyNoClient({ reports: [plane, { ...dump, vantage: 'lrs' }], rows: [] })).not.toBe('');
});

it('nor a config dump without the times of updates, as istiod and Envoy Gateway write it', () => {
  expect(whyNoClient({ reports: [dump], rows: [row] })).toMatch(/lacks last_updated/);
  const updated = { ...row, lastUpdated: 1 };
  expect(whyNoClient({ reports: [dump], rows: [row, updated] })).toBe('');
  // The parts of a bootstrap have no times, and neither have the rows of CSDS.
  expect(whyNoClient({ reports: [dump], rows: [{ ...row, isStatic: true }] })).toBe('');
  expect(whyNoClient({ reports: [dump], rows: [{ isStatic: false, lastUpdated: null }] })).toBe('');
  expect(whyNoClient({ reports: [{ ...dump, originalVantage: 'envoy-admin' }], rows: [row] })).toBe('');
});
