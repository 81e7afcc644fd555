import { expect, it } from 'vitest';
import { whyNoClient } from '@/lib/facts/no-client';

const plane = { vantage: 'dump', side: 'control-plane' } as const;
const dump = { vantage: 'dump', side: 'client' } as const;

it('no client is known to run what a control plane alone states', () => {
  expect(whyNoClient([plane])).toMatch(/^no client .* what a control plane/);
  expect(whyNoClient([{ ...plane, vantage: 'istiod' }])).not.toBe('');
  expect(whyNoClient([plane, { ...dump, vantage: 'csds' }])).toBe('');
  expect(whyNoClient([dump])).toBe('');
  // Load reports are of a client, and contain no resources.
  expect(whyNoClient([plane, { ...dump, vantage: 'lrs' }])).not.toBe('');
});
