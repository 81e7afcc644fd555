import { groupConditions, recordConditions } from '@/lib/issues/group-conditions';
import { type IssueAt, patienceMs } from '@/lib/issues/issue-at';
import type { IssueCause, IssueRecord } from '@/lib/issues/issue-record';
import type { ServerNames } from '@/lib/issues/server-names';
import type { SourceOutage } from '@/lib/issues/source-outages';
import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { addressOfServer } from '@/lib/observation/failing-server';
import type { Condition } from '@/lib/views/issues/read-conditions';
import type { EpochMs } from '@/lib/xds/units';
import { type IssueStore, issueIdOf } from '../../live/issues/issue-store';
import type { LiveState } from '../../live/live-state';
import type { SourceRegistry } from '../../sources/source-registry';

interface TapOutagesParts {
  readonly live: Pick<LiveState, 'world' | 'clientsOfSource'>;
  readonly registry: Pick<SourceRegistry, 'find'>;
  readonly issues: Pick<IssueStore, 'outages'>;
  readonly serverNames: Pick<ServerNames, 'find'>;
}

type ServerCause = IssueCause & { readonly kind: 'unreachable' };

/** The management servers that are unreachable for the clients of taps: a tap reports that it cannot connect. */
export class TapOutages {
  readonly #parts: TapOutagesParts;

  constructor(parts: TapOutagesParts) {
    this.#parts = parts;
  }

  find(at: EpochMs): IssueAt[] {
    return groupConditions(this.#conditions(at), { at, idOf: issueIdOf });
  }

  records(at: EpochMs): IssueRecord<ServerCause>[] {
    return recordConditions(this.#conditions(at), issueIdOf);
  }

  /** True if the outage is one of a management server that clients of a tap have. */
  isOfClients(outage: SourceOutage): boolean {
    return this.#conditionsOf(outage).length > 0;
  }

  #conditions(at: EpochMs): (Condition & { readonly cause: ServerCause })[] {
    return this.#parts.issues.outages.listAt(at).flatMap((outage) => this.#conditionsOf(outage));
  }

  #conditionsOf({ sourceId, from, to, problem }: SourceOutage) {
    const { live, registry, serverNames } = this.#parts;
    const { tap } = registry.find(sourceId) ?? {};
    // One that does not listen does not know whether its server answers.
    if (tap?.address === undefined) return [];
    const cause: ServerCause = {
      ...{
        kind: 'unreachable',
        side: 'client',
        typeUrl: '',
        name: serverNames.find(tap.upstream),
        text: problem.message,
      },
      through: [tap.address, tap.listen],
    };
    return [...live.clientsOfSource(sourceId)].flatMap((clientId) => {
      const client = live.world.get(clientId);
      const report = client?.reports.get(sourceId);
      if (report === undefined || !isConnected(report, from)) return [];
      const begin = Math.max(from, report.firstSeenAt);
      if (to !== null && to < begin) return [];
      const period = {
        ...{
          clientId,
          from: begin,
          to: to ?? undefined,
          end: to === null ? undefined : ('repaired' as const),
        },
        ...{ fromSeq: null, toSeq: null, versionInfo: '', keepsAccepted: null, resources: 1 },
        serverName: this.#onlyServerOf(client),
      };
      return [{ cause, period }];
    });
  }

  #onlyServerOf(client: ClientState | undefined): string | undefined {
    const connections = [...(client?.reports.values() ?? [])].flatMap((report) => report.connections ?? []);
    const servers = connections.filter(({ isManagementServer }) => isManagementServer);
    const names = new Set(servers.map((each) => this.#parts.serverNames.find(addressOfServer(each))));
    return names.size === 1 ? [...names][0] : undefined;
  }
}

/** The streams of the clients end with the connection of the tap, shortly before its next attempt fails. */
function isConnected({ goneAt }: ClientReport, from: EpochMs): boolean {
  return goneAt === null || goneAt >= from - patienceMs;
}
