import type { EpochMs } from '../xds/units';
import { type IssueAt, patienceMs } from './issue-at';
import type { ClientIssueKind, IssuePeriod } from './issue-record';
import { mergeIssues } from './merge-issues';
import { possibleServer } from './read-issue-causes';

/** An issue that a source reports of a resource explains issues of these kinds about the same resource. */
const ofConfig: ReadonlySet<ClientIssueKind> = new Set(['tear', 'finding', 'unserved']);

/**
 * Leaves out what another issue of the same clients explains: a NACK of a whole type, as control planes and statistics report
 * it, if the rejected resource is known; the missing answer to responses that were rejected; the missing response of a
 * management server that is unreachable; a server that may be the management server, if it is known that no response has come or which
 * server is unreachable; a tap that is unreachable since its server is; and a config tear or a finding about a resource that is rejected or missing.
 */
export function removeExplained(all: readonly IssueAt[], at: EpochMs): IssueAt[] {
  const found = mergeIssues(all);
  return withoutExplained(found, found, at);
}

/** Leaves out of some issues what others explain. `all`: the issues that may explain them, none twice. */
export function withoutExplained(some: readonly IssueAt[], all: readonly IssueAt[], at: EpochMs): IssueAt[] {
  const nacked = new Map<string, IssuePeriod[]>();
  const reported = new Map<string, IssuePeriod[]>();
  const unreachable = new Map<string, IssuePeriod[]>();
  /** The periods in which the server behind a tap is unreachable, by client and port of the tap, or the client's name for it. */
  const behindTap = new Map<string, IssuePeriod[]>();
  const withoutResponse = new Map<string, IssuePeriod[]>();
  for (const { record, periods } of all) {
    const { kind, typeUrl, name, rule, through = [] } = record.cause;
    if (ofConfig.has(kind) || kind === 'notice' || kind === 'certificate') continue;
    for (const period of periods) {
      if (kind === 'unreachable' && rule !== possibleServer) add(unreachable, period.clientId, period);
      for (const place of [
        ...portsOf(through),
        ...(period.serverName === undefined ? [] : [period.serverName]),
      ])
        add(behindTap, `${period.clientId} ${place}`, period);
      if (kind === 'unreached') add(withoutResponse, period.clientId, period);
      if (kind === 'nack' && name !== '') add(nacked, `${period.clientId} ${typeUrl}`, period);
      add(reported, `${period.clientId} ${typeUrl} ${name}`, period);
    }
  }
  return some.flatMap((issue) => {
    const { kind, explainedBy, rule } = issue.record.cause;
    const isPossible = rule === possibleServer;
    const { typeUrl, name } = explainedBy ?? issue.record.cause;
    const isOfType = kind === 'unanswered' || (kind === 'nack' && name === '');
    const isOfServer = kind === 'unreached' || kind === 'unreachable';
    if (!isOfType && !ofConfig.has(kind) && !isOfServer) return [issue];
    const othersOf = (clientId: string): readonly IssuePeriod[] => {
      if (kind === 'unreached') return unreachable.get(clientId) ?? [];
      if (isPossible) return [...(unreachable.get(clientId) ?? []), ...(withoutResponse.get(clientId) ?? [])];
      if (kind === 'unreachable' && issue.record.cause.through === undefined)
        return [name, ...portsOf(name.split(', '))].flatMap(
          (place) => behindTap.get(`${clientId} ${place}`) ?? [],
        );
      if (kind === 'unreachable') return [];
      if (isOfType) return nacked.get(`${clientId} ${typeUrl}`) ?? [];
      return explaining(kind, name).flatMap((each) => reported.get(`${clientId} ${typeUrl} ${each}`) ?? []);
    };
    const periods = issue.periods.filter(
      (period) =>
        !othersOf(period.clientId).some((other) => overlap(period, other) && lastsAsLong(period, other, at)),
    );
    return periods.length === 0 ? [] : [{ ...issue, periods }];
  });
}

/** What a whole response does to requests is not known, so that it does not explain what serves nothing. */
function explaining(kind: ClientIssueKind, name: string): readonly string[] {
  return kind === 'unserved' ? [name] : ['', name];
}

function add(map: Map<string, IssuePeriod[]>, key: string, period: IssuePeriod): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [period]);
  else known.push(period);
}

function overlap(a: IssuePeriod, b: IssuePeriod): boolean {
  return a.from <= (b.to ?? Number.POSITIVE_INFINITY) && b.from <= (a.to ?? Number.POSITIVE_INFINITY);
}

/**
 * What still lasts some time after the other has ended has a cause of its own. Sources and checks need this time to find that it
 * has ended, too.
 */
function lastsAsLong(period: IssuePeriod, other: IssuePeriod, at: EpochMs): boolean {
  return (period.to ?? at) - (other.to ?? at) < patienceMs;
}

/** A client that is connected through a tap may have another address for it than the tap listens on, with the same port. */
function portsOf(addresses: readonly string[]): string[] {
  return [...new Set(addresses.flatMap((address) => /:(\d+)$/.exec(address)?.[1] ?? []))];
}
