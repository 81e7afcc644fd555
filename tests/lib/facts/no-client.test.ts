import { expect, it } from 'vitest';
import { whyNoClient } from '@/lib/facts/no-client';

const plane = { vantage: 'dump', side: 'control-plane' } as const;
const dump = { vantage: 'dump', side: 'client' } as const;

type Subject = Parameters<typeof whyNoClient>[0];
const whyOf = (reports: Subject['client']['reports'], rows: Subject['rows'] = [{}]) =>
  whyNoClient({ client: { reports }, rows });

it('no client is known to run what a control plane alone states', () => {
  expect(whyOf([plane])).toMatch(/^no client .* what a control plane/);
  expect(whyOf([{ ...plane, vantage: 'istiod' }])).not.toBe('');
  expect(whyOf([plane, { ...dump, vantage: 'csds' }])).toBe('');
  expect(whyOf([dump])).toBe('');
  // Load reports are of a client, and contain no resources.
  expect(whyOf([plane, { ...dump, vantage: 'lrs' }])).not.toBe('');
});

it('no client is known to run a bootstrap file, unless the Envoy reports something beside it', () => {
  const configured = { doubt: 'configured' } as const;
  expect(whyOf([dump], [configured, configured])).toMatch(/^no client .* a bootstrap file/);
  expect(whyOf([dump], [configured, {}])).toBe('');
  expect(whyOf([dump], [])).toBe('');
});
