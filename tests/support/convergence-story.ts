import { buildSpread } from '@/lib/convergence/build-spread';
import { classifyClients } from '@/lib/convergence/classify-clients';
import type { ConvergenceFact } from '@/lib/convergence/convergence-fact';
import { type ConvergenceQuestion, findTarget, interestOf } from '@/lib/convergence/convergence-question';
import { FactIndex } from '@/lib/convergence/fact-index';
import type { AddressOf } from '@/lib/convergence/read-facts';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { numbered } from './builders/observation-samples';
import { acked, opened, sent } from './push-story';

export const cart = { kind: 'resource', typeUrl: CDS.typeUrl, name: 'cart' } as const;
export const v2 = { kind: 'version', typeUrl: CDS.typeUrl, version: 'v2' } as const;

export function validate(
  observations: readonly Observation[],
  question: ConvergenceQuestion,
  knownSince: ReadonlyMap<string, number> = new Map(),
  addressOf?: AddressOf,
  extra: readonly ConvergenceFact[] = [],
) {
  const book = new FactIndex(interestOf(question), addressOf);
  for (const observation of numbered(observations)) book.addObservation(observation);
  for (const fact of extra) book.add(fact);
  const found = findTarget(book, question);
  if (found === undefined) throw new Error('nobody has seen it');
  const outcomes = classifyClients(book, found.target, { knownSince });
  const kinds = Object.fromEntries(outcomes.map(({ clientId, kind }) => [clientId, kind]));
  return { found, outcomes, kinds, spread: buildSpread(outcomes, found.target.firstAt) };
}

/** All clients have v1 with content aa, and receive v2 with content bb from 1,000 ms on. */
export function twoVersions(clients: readonly string[]): Observation[] {
  return clients.flatMap((clientId) => [
    opened(clientId, 1),
    sent({ clientId, at: 10, version: 'v1', hash: 'aa' }),
    acked({ clientId, at: 20, version: 'v1', hash: 'aa' }),
  ]);
}
