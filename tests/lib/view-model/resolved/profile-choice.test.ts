import { expect, test } from 'vitest';
import { explainProfile } from '@/lib/view-model/resolved/profile-choice';

test.each([
  ['node', 'gRPC Node Pure JS 1.14.1', false, 'Node 1.14: the user agent is “gRPC Node Pure JS 1.14.1”'],
  ['core', 'gRPC C-core linux 29.0.0', false, 'C-core 1.51: the user agent is “gRPC C-core linux 29.0.0”'],
  ['go', 'gRPC C-core linux', true, 'Go 1.64 was chosen; the user agent is “gRPC C-core linux”'],
  ['go', 'curl', false, 'the user agent is “curl”, which names no known client: treated as Go 1.64'],
  ['envoy', '', true, 'Envoy was chosen; the client reports no user agent'],
] as const)('explainProfile: %s for "%s"', (profile, userAgent, isChosen, text) => {
  expect(explainProfile(profile, { userAgent }, isChosen)).toBe(text);
});

test('explainProfile: without a user agent the default is explained', () => {
  expect(explainProfile('go', { userAgent: '' }, false)).toBe(
    'the client reports no user agent: treated as Go 1.64',
  );
});

test('explainProfile: the profile of a probe is not guessed', () => {
  const probe = { userAgent: 'xdscope 1.0', asClient: 'node' } as const;
  expect(explainProfile('node', probe, false)).toBe('the probe validates like Node 1.14');
  expect(explainProfile('java', probe, true)).toBe('Java was chosen; the probe validates like Node 1.14');
});
