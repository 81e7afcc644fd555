import { expect, it } from 'vitest';
import {
  type JudgedCertificate,
  readCertificateConditions,
} from '@/lib/views/issues/read-certificate-conditions';

const day = 24 * 3_600_000;
const now = 1_000 * day;

/** A certificate with a lifetime of 90 days and so many days left. */
function certificate(daysLeft: number, of: Partial<JudgedCertificate> = {}): JudgedCertificate {
  const expiresAt = now + daysLeft * day;
  return {
    ...{ clientId: 'edge', role: 'chain', path: '', secret: 'server', names: [], serialNumber: '' },
    ...{ validFrom: expiresAt - 90 * day, expiresAt, isInEffect: true, ...of },
  };
}

const read = (...certificates: JudgedCertificate[]) =>
  readCertificateConditions(certificates, now).map(
    ({ cause: { name, rule }, period: { clientId, from, impact } }) =>
      [clientId, name, rule, `${(now - from) / day} d`, impact?.level ?? 'by the config'].join(' | '),
  );

it.each([
  ['a valid certificate', [certificate(60)], []],
  ['an expired one', [certificate(-3)], ['edge | server | chain expired | 3 d | by the config']],
  ['one that was due', [certificate(13)], ['edge | server | chain expires | 1 d | by the config']],
  ['one of a secret that is not in effect', [certificate(-3, { isInEffect: false })], []],
  ['one of a file that states no time', [certificate(-3, { isUndated: true })], []],
  ['one that was valid when its file was captured', [certificate(-3, { snapshotAt: now - 60 * day })], []],
  [
    'one that had expired when its file was captured',
    [certificate(-63, { snapshotAt: now - 60 * day })],
    ['edge | server | chain expired | 63 d | by the config'],
  ],
  [
    'a bundle of authorities by the one that expires last',
    [certificate(-3, { role: 'ca' }), certificate(60, { role: 'ca' })],
    [],
  ],
  [
    'a bundle of expired authorities',
    [certificate(-3, { role: 'ca' }), certificate(-1, { role: 'ca' })],
    ['edge | server | ca expired | 1 d | by the config'],
  ],
  [
    'one of a file of Envoy, whose users are not reported',
    [certificate(-3, { secret: undefined, path: '/etc/tls.pem' })],
    ['edge | certs | chain expired /etc/tls.pem | 3 d | tls-fails'],
  ],
  [
    'the first authority of a file',
    [certificate(-3, { secret: undefined, path: '/etc/ca.pem', role: 'ca' })],
    ['edge | certs | ca expired /etc/ca.pem | 3 d | unknown'],
  ],
  [
    'inline ones by the one that expires first',
    [60, -3, -1].map((left) => certificate(left, { secret: undefined, path: '<inline>' })),
    ['edge | certs | chain expired <inline> | 3 d | tls-fails'],
  ],
])('judges %s', (_title, certificates, expected) => {
  expect(read(...certificates)).toEqual(expected);
});
