import { expect, it } from 'vitest';
import { findIssueAt } from '@/lib/issues/issue-at';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Vantage } from '@/lib/observation/vantage';
import type { JudgedCertificate } from '@/lib/views/issues/read-certificate-conditions';
import { CertificateChecks } from '@/server/answers/issues/certificate-checks';
import { ApiError } from '@/server/api-error';
import { sampleReport } from '../../../support/builders/observation-samples';

const hour = 3_600_000;
const start = 1_000 * 24 * hour;

/** The certificate of a mesh, which lives a day. */
const issuedAt = (validFrom: number, clientId = 'edge') =>
  ({
    ...{
      clientId,
      nodeId: clientId,
      sourceId: '',
      seenAt: validFrom,
      issuer: '',
      path: '',
      secret: 'default',
    },
    ...{ role: 'chain', names: [], serialNumber: '', validFrom, expiresAt: validFrom + 24 * hour },
    isInEffect: true,
  }) satisfies JudgedCertificate & object;

function checksOf(clients: readonly { readonly clientId: string; readonly vantage?: Vantage }[]) {
  const world: World = new Map();
  for (const [index, each] of clients.entries())
    foldObservation(world, { ...sampleReport(each), seq: index + 1 });
  let items = clients.map(({ clientId }) => issuedAt(start, clientId));
  const checks = new CertificateChecks({
    live: { world },
    subjects: {
      find: async () => {
        throw new ApiError(404, 'Moment not found', 'at: the log reports nothing of the client');
      },
    },
    certificates: {
      find: async () => ({ items, clients: items.length, unread: 0 }),
      findInRows: async () => items,
    },
  });
  const at = async (hours: number) =>
    (await checks.records(start + hours * hour))
      .flatMap((each) => findIssueAt(each, start + hours * hour) ?? [])
      .map(
        ({ record: { cause }, resolvedAt, periods }) =>
          `${cause.rule}: ${periods.map(({ clientId }) => clientId).join(', ')}${resolvedAt === undefined ? '' : ` until ${(resolvedAt - start) / hour}`}`,
      );
  return {
    ...{ checks, at, world },
    rotate(hours: number) {
      items = items.map(({ clientId }) => issuedAt(start + hours * hour, clientId));
    },
  };
}

it('finds a certificate as its time passes, as one issue of all clients, until it is renewed', async () => {
  const { at, rotate } = checksOf([{ clientId: 'edge' }, { clientId: 'cart' }]);
  expect(await at(19)).toEqual([]);
  expect(await at(20)).toEqual(['chain expires: edge, cart']);
  expect(await at(25)).toEqual(['chain expired: edge, cart']);
  rotate(25);
  expect(await at(26)).toEqual(['chain expired: edge, cart until 26']);
  // What has ended is listed for an hour.
  expect(await at(28)).toEqual([]);
});

it('states that an issue has ended with the client', async () => {
  const { at, checks, rotate, world } = checksOf([{ clientId: 'edge' }]);
  await at(25);
  world.clear();
  rotate(25);
  const [issue] = await checks.records(start + 26 * hour);
  expect(issue?.ended.map(({ end }) => end)).toEqual(['gone']);
});

it('leaves probes of xdscope out', async () => {
  expect(await checksOf([{ clientId: 'probe', vantage: 'probe' }]).at(25)).toEqual([]);
});

it('has nothing of a client that the log reports nothing of until a moment', async () => {
  const { checks } = checksOf([{ clientId: 'edge' }]);
  expect(await checks.findAt('2026-11-26T20:54:30Z', start + 25 * hour)).toEqual([]);
});
