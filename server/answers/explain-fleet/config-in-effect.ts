import { whyNoClient } from '@/lib/facts/no-client';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { ContentSum } from '@/lib/views/client/content-sum';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { type DefaultsParts, findDefaults } from '../client-defaults';
import { bugsOfListeners } from '../findings/known-bugs';
import { trafficQuestion } from '../resolved/resolved-query';
import type { ResolverQuestion } from '../resolved/resolved-questions';
import type { ClientSubject, ClientSubjects, LiveRows } from '../subjects/client-subjects';

/** What decides where a client sends requests. */
export interface ConfigInEffect {
  /** Equal for clients that send every request to the same place. undefined: measurements of the client decide, too. */
  readonly key: string | undefined;
  readonly question: ResolverQuestion;
  readonly source: LiveRows;
  /** No client is known to run it. */
  readonly isHypothetical: boolean;
}

/** All clients share one list of rows, because they are read one after the other. */
const list = 'clients of a fleet';

/** Load reports are not read: they take a query of the log for each client. */
const noLoads = async () => new Map<string, never>();

const accepted: ReadonlySet<string> = new Set(['ACKED', 'ACTIVE']);

/** Finds the config that is in effect at a member of the fleet; undefined if the client is gone. */
export async function findConfigNow(
  { content, summary }: FleetMember,
  subjects: Pick<ClientSubjects, 'findOneOfMany'>,
  parts: DefaultsParts,
): Promise<ConfigInEffect | undefined> {
  const subject = subjects.findOneOfMany(summary, list);
  if (subject === undefined) return undefined;
  const { client, source } = subject;
  const isPlain = hasOnlyAccepted(client) && bugsOfListeners(client).length === 0;
  const { rows } = isPlain ? { rows: [] } : await source.read();
  return configOf({ ...subject, rows }, parts, isPlain ? content : contentOf(rows, client));
}

/** The config that was in effect at a moment of the past. */
export function findConfigThen(subject: ClientSubject, parts: DefaultsParts): Promise<ConfigInEffect> {
  const { client, rows } = subject;
  const source = { list: 'clients of a fleet at a moment', read: () => ({ rows }) };
  return configOf({ ...subject, source }, parts, contentOf(rows, client));
}

async function configOf(subject: ClientSubject, parts: DefaultsParts, held: string): Promise<ConfigInEffect> {
  const { client, source } = subject;
  const measuredRequests = {
    find: noLoads,
    findBreakers: (id: string) => parts.measuredRequests.findBreakers(id),
    findStandstill: (id: string) => parts.measuredRequests.findStandstill(id),
  };
  const defaults = await findDefaults(subject, { ...parts, measuredRequests });
  const question = trafficQuestion(resolvedQuery.parse({}), defaults);
  const isMeasured = question.failing !== undefined || question.failingTargets !== undefined;
  const isHypothetical = whyNoClient(subject) !== '';
  const key = isMeasured ? undefined : `${held} ${isHypothetical} ${describe(question, client)}`;
  return { source, question, isHypothetical, key };
}

/**
 * Returns true if the names and bodies of the resources decide what is in effect: each was accepted, and what reports it
 * is not an inference from messages.
 */
function hasOnlyAccepted({ types, reports }: ClientDetail): boolean {
  return (
    reports.every(
      ({ vantage }) => vantage === 'csds' || vantage === 'envoy-admin' || vantage === 'channelz',
    ) && types.every(({ byState }) => Object.keys(byState).every((state) => accepted.has(state)))
  );
}

/** A sum of all fields of the rows by which it is decided what is in effect. */
function contentOf(rows: readonly ResourceRow[], client: ClientDetail): string {
  const sum = new ContentSum();
  const vantageOf = vantagesOf(client);
  for (const row of rows) {
    const { typeUrl, name, hash, clientStatus, errorState, ambientError, stage, doubt, side, sourceId } = row;
    const { isStatic, otherVersions, controlPlane } = row;
    const other = otherVersions?.map((each) => [each.stage, each.hash]);
    const error = errorState && [errorState.failedHash, errorState.versionInfo, errorState.successes];
    const fields = [clientStatus, error, errorState?.mayBeInEffect, ambientError?.code, stage, doubt, side];
    const others = [isStatic, other, controlPlane?.hash, controlPlane?.versionInfo, row.versionInfo];
    sum.count(JSON.stringify([typeUrl, name, vantageOf.get(sourceId) ?? '', ...fields, ...others]), hash);
  }
  return sum.toString();
}

/** The question with the vantages of the sources in place of their ids. */
function describe({ trust, ofSocket, ...question }: ResolverQuestion, client: ClientDetail): string {
  const vantageOf = vantagesOf(client);
  const named = (each: typeof trust) => ({
    ...each,
    ownSources: each.ownSources.map((id) => vantageOf.get(id) ?? ''),
    probes: each.probes.map((id) => vantageOf.get(id) ?? ''),
  });
  const socket = ofSocket && { ...ofSocket, trust: named(ofSocket.trust) };
  return JSON.stringify([question, named(trust), socket]);
}

function vantagesOf({ reports }: ClientDetail): ReadonlyMap<string, string> {
  return new Map(reports.map(({ sourceId, vantage, side }) => [sourceId, `${vantage} ${side}`]));
}
