import { expect, it } from 'vitest';
import type { Explanation } from '@/lib/views/explain/schema';
import { buildReport } from '@/lib/views/prove/build-report';
import type { Proof } from '@/lib/views/prove/schema';

const request: Explanation['request'] = {
  ...{
    method: 'GET',
    scheme: 'https',
    authority: 'shop.example',
    path: '/cart?page=2&access_token=in-query',
  },
  headers: [
    ['Authorization', 'Bearer in-bearer'],
    ['cookie', 'theme=dark; sid=in-cookie'],
    ['x-api-key', 'in-key'],
    ['x-color', 'blue'],
  ],
};
const explanation: Explanation = {
  ...{ clientId: 'c', at: 1, revision: '1', profile: 'envoy-1.40', request, starts: [], startsTotal: 0 },
  ...{ outcome: { sentence: '', text: '' }, branches: [], stepsTotal: 1 },
  steps: [
    {
      ...{ stage: 'route', verdict: 'not-taken', title: 'route 1', path: '' },
      reason: 'cookie sid is "in-cookie", and must be "other"; header x-color is "blue"',
    },
  ],
};
const proof: Proof = {
  ...{ clientId: 'c', at: 1, program: { name: 'Envoy', version: '1.40.0' }, times: 1, unreported: 0 },
  ...{ listener: { name: 'l', address: '' }, outcome: { listener: 'l' }, outcomes: [], endpoints: [] },
  ...{ responses: [], rejected: [], services: [], changes: [], changesTotal: 0 },
  log: ['{"path":"/cart?page=2&access_token=in-query"}'],
};

it('has no credential of the request, wherever it is quoted', () => {
  const text = buildReport(proof, explanation);
  expect(text).not.toMatch(/in-(bearer|cookie|key|query)/);
  const { explanation: kept } = JSON.parse(text) as { explanation: Explanation };
  expect(kept.request.headers).toEqual([
    ['Authorization', '[redacted]'],
    ['cookie', '[redacted]'],
    ['x-api-key', '[redacted]'],
    ['x-color', 'blue'],
  ]);
  expect(kept.request.path).toBe('/cart?page=2&access_token=[redacted]');
  expect(kept.steps[0]?.reason).toBe(
    'cookie sid is "[redacted]", and must be "other"; header x-color is "blue"',
  );
});

it('is JSON with the comparison, the trace and the observation', () => {
  const plain = { ...explanation, request: { ...request, headers: [], path: '/cart' } };
  expect(JSON.parse(buildReport({ ...proof, log: [] }, plain))).toMatchObject({
    ...{ comparison: [{ what: 'listener', observed: 'l' }], explanation: plain },
  });
});
