import { byDescending } from '@/lib/collections/compare';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { formatCounted } from '@/lib/format/count';
import { reportsResources } from '@/lib/observation/vantage';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import { describeNodeChanges } from '@/lib/views/fleet/node-changes';
import type { IdentityItem, IdentityKind, IdentityPage, IdentityQuery } from '@/lib/views/identity/schema';
import { takeSteps } from '../../workers/threads/take-steps';
import type { LiveState } from '../live-state';
import type { FleetIndex } from './fleet-index';
import type { ChangedNode, NodeWatcher } from './node-watcher';

export interface IdentityApiParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly fleet: Pick<FleetIndex, 'find'>;
  readonly nodes: NodeWatcher;
}

/** Finds clients that share a node id, whose node changed, or that no source reports any longer. */
export class IdentityApi {
  readonly #parts: IdentityApiParts;

  constructor(parts: IdentityApiParts) {
    this.#parts = parts;
  }

  async find({ kind, q, offset, limit }: IdentityQuery): Promise<IdentityPage> {
    const { members } = await this.#parts.fleet.find();
    const { duplicate, vanished } = await takeSteps(sortOut(members));
    const changed = this.#parts.nodes.list().flatMap((each) => this.#changedItem(each));
    const all: Record<IdentityKind, readonly IdentityItem[]> = { duplicate, changed, vanished };
    const found = all[kind].filter(({ nodeId }) => nodeId.includes(q));
    return {
      counts: { duplicate: duplicate.length, changed: changed.length, vanished: vanished.length },
      items: found.slice(offset, offset + limit),
      offset,
      total: found.length,
    };
  }

  #changedItem({ clientId, at, sourceId, changes, others, times }: ChangedNode): IdentityItem[] {
    const client = this.#parts.live.world.get(clientId);
    if (client === undefined) return [];
    const more = others > 0 ? `; and ${formatCounted(others, 'field')} more` : '';
    const often = times > 1 ? ` (${formatCounted(times, 'time')} so far, this is the newest)` : '';
    return [
      {
        ...{ clientId, nodeId: client.node.id, scope: client.scope, at },
        text: `${describeNodeChanges(changes)}${more}${often}`,
        sources: [sourceId],
      },
    ];
  }
}

function* sortOut(
  members: readonly FleetMember[],
): Steps<{ duplicate: IdentityItem[]; vanished: IdentityItem[] }> {
  const duplicate: IdentityItem[] = [];
  const vanished: IdentityItem[] = [];
  for (const [index, { summary, link }] of members.entries()) {
    if (index % itemsPerStep === 0) yield;
    if (link?.kind === 'whole') continue;
    const { id: clientId, nodeId, scope, reports } = summary;
    const item = { clientId, nodeId, scope };
    const reported = reports.filter((report) => report.side === 'client' && reportsResources(report));
    if (summary.duplicateNodeId) {
      const sources = reported
        .filter(({ freshness }) => freshness === 'live')
        .map(({ sourceId }) => sourceId);
      const { processes } = summary;
      const text =
        processes === undefined
          ? `${formatCounted(sources.length, 'source')} report it at this moment, with different resources: one of them is late, or two processes share the node id`
          : `${formatCounted(processes.length, 'process', 'processes')} use the node id and the target at the same time: ${processes.join(', ')}`;
      duplicate.push({ ...item, at: undefined, text, sources });
    }
    const [, number] = / ?\(duplicate (\d+)\)$/.exec(scope) ?? [];
    if (number !== undefined) {
      const text = `one answer named this node id several times, with different contents: this is the ${ordinal(Number(number))} of them`;
      duplicate.push({ ...item, at: undefined, text, sources: reported.map(({ sourceId }) => sourceId) });
    }
    if (summary.freshness !== 'gone') continue;
    vanished.push({
      ...item,
      at: summary.lastSeenAt ?? summary.lastChangedAt,
      text: summary.reason,
      sources: reports.map(({ sourceId }) => sourceId),
    });
  }
  vanished.sort(byDescending((each) => each.at ?? ''));
  return { duplicate, vanished };
}

function ordinal(number: number): string {
  const ordinalText = ['first', 'second', 'third', 'fourth', 'fifth'][number - 1];
  return ordinalText ?? `${number}th`;
}
