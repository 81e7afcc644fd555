import { expect, test } from 'vitest';
import { noSettings, settingsOfProbe } from '@/server/answers/subjects/known-settings';
import { defaultProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import { insecure } from '@/server/transport/grpc/credentials-config';

const target = { host: 'a', port: 1, text: 'a:1' };
const server = { target, credentials: insecure, callCredentials: [], features: new Set<never>() };
const settings = defaultProbeSettings(server);

test('settingsOfProbe: a probe that only observes says nothing of whose rules count', () => {
  expect(settingsOfProbe(undefined)).toEqual(noSettings);
  expect(settingsOfProbe({ ...settings, profile: 'java' })).toEqual(noSettings);
});

test('settingsOfProbe: a probe as a client says whose, and its bootstrap which providers there are', () => {
  const certificateProviders = new Set(['b', 'a']);
  const reported = settingsOfProbe({ ...settings, mode: 'validate', profile: 'java', certificateProviders });
  expect(reported).toEqual({ ...noSettings, asClient: 'java', certificateProviders: ['a', 'b'] });
});
