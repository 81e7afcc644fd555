import { LRUCache } from 'lru-cache';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildChanges, differenceOf, type RowChange } from '@/lib/views/changes/build-changes';
import { buildControlPlaneRows } from '@/lib/views/compare/control-plane-rows';
import { describeDiff } from '@/lib/views/compare/describe-diff';
import { type DiffAddress, formatDiffAddress, parseDiffAddress } from '@/lib/views/compare/diff-address';
import { classifyChange, type DiffItem, hasTwoBodies, isListed } from '@/lib/views/compare/diff-item';
import type { DiffAnswer, DiffAnswerItem, DiffQuery, DiffSide } from '@/lib/views/compare/schema';
import { parseTypeKey } from '@/lib/views/resources/resource-ref';
import { isProcessDocument } from '@/lib/xds/process-document';
import { badRequest, notFound } from '../../api-error';
import type { HashPair } from '../../compute/diff/diff-jobs';
import type { Differ } from '../../compute/diff/differ';
import { SharedWork } from '../../workers/shared-work';
import { inSlices } from '../../workers/threads/in-slices';
import { takeSteps } from '../../workers/threads/take-steps';
import type { PermalinksApi } from '../permalinks/permalinks-api';
import type { ClientSubjects } from '../subjects/client-subjects';

export interface DiffApiOptions extends DiffSidesOptions {
  readonly differ: Pick<Differ, 'outcomes' | 'tree'>;
}

/** The whole comparison of two sides; a query selects a page of it. */
interface Compared extends Pick<DiffAnswer, 'counts' | 'summary'> {
  readonly items: readonly DiffItem[];
}

const comparisonsKept = 8;

export class DiffApi {
  readonly #options: DiffApiOptions;
  readonly #kept = new LRUCache<string, Compared>({ max: comparisonsKept });
  readonly #shared = new SharedWork<Compared>();

  constructor(options: DiffApiOptions) {
    this.#options = options;
  }

  async find(query: DiffQuery, signal?: AbortSignal): Promise<DiffAnswer> {
    const left = await findSide(this.#options, query.left, 'left', signal);
    const right = await findSide(this.#options, query.right, 'right', signal);
    const { items, counts, summary } = await this.#compare(left, right, signal);
    const typeUrl = query.type === undefined ? undefined : parseTypeKey(query.type);
    const wanted = items.filter((item) => {
      const row = item.left ?? item.right;
      return (
        (query.kind === undefined ? query.versions === 'true' || isListed(item) : item.kind === query.kind) &&
        (typeUrl === undefined || row?.typeUrl === typeUrl) &&
        (query.q === '' || [item.left, item.right].some((side) => side?.name.includes(query.q)))
      );
    });
    const { offset, limit } = query;
    return {
      left: left.reported,
      right: right.reported,
      summary,
      counts,
      total: wanted.length,
      offset,
      items: wanted.slice(offset, offset + limit).flatMap(itemOf),
      ...(left.address.resource !== null && { tree: await this.#tree(items, signal) }),
    };
  }

  async #compare(left: FoundSide, right: FoundSide, signal: AbortSignal | undefined): Promise<Compared> {
    const name = JSON.stringify([left, right].map(({ reported, revision }) => [reported.address, revision]));
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const compared = await this.#shared.run(name, signal, (stop) => this.#validate(left, right, stop));
    this.#kept.set(name, compared);
    return compared;
  }

  async #validate(left: FoundSide, right: FoundSide, signal: AbortSignal): Promise<Compared> {
    const { changes, unchanged } = await findChangedRows(left, right);
    const pairs = changes.flatMap((change) => pairOf(change) ?? []);
    const outcomeOf = await this.#options.differ.outcomes(pairs, { signal });
    const comparesStatus = left.reported.side === right.reported.side;
    const items: DiffItem[] = [];
    const none = {
      changed: 0,
      added: 0,
      removed: 0,
      unread: 0,
      status: 0,
      order: 0,
      notation: 0,
      version: 0,
    };
    const counts = { ...none, equal: unchanged };
    await inSlices(changes, (change) => {
      const pair = pairOf(change);
      const item = classifyChange(change, (pair && outcomeOf(pair)) ?? null, comparesStatus);
      if (item === undefined) counts.equal += 1;
      else {
        counts[item.kind] += 1;
        items.push(item);
      }
    });
    // The summary names at most one resource and counts the others.
    const reported = items
      .filter(({ kind }) => kind === 'changed')
      .slice(0, 1)
      .flatMap(itemOf);
    const differences = reported.map((item) => ({ ...item, changes: item.totals?.changes ?? 0 }));
    return { items, counts, summary: describeDiff(counts, differences) };
  }

  async #tree(items: readonly DiffItem[], signal: AbortSignal | undefined): Promise<DiffAnswer['tree']> {
    const [item] = items;
    const change = item && { kind: 'changed' as const, before: item.left, after: item.right, differs: [] };
    const pair = change && pairOf(change);
    const tree = pair && (await this.#options.differ.tree(pair, { signal }));
    return tree === undefined ? { rows: [], isCut: false } : { rows: [...tree.rows], isCut: tree.isCut };
  }
}

async function findChangedRows(left: FoundSide, right: FoundSide) {
  const [one, other] = [left.address.resource, right.address.resource];
  if (one === null && other === null) return takeSteps(buildChanges(left.rows, right.rows));
  if (one === null || other === null) {
    const field = one === null ? 'left' : 'right';
    throw badRequest(`${field}: expected one resource, as the other side has, got all of them`, field);
  }
  if (one.typeUrl !== other.typeUrl) {
    throw badRequest(`right: expected a resource of type ${one.typeUrl}, got ${other.typeUrl}`, 'right');
  }
  const [before, after] = [findRow(left), findRow(right)];
  if (before === undefined && after === undefined) {
    throw notFound('Resource', `neither side has ${one.typeUrl} ${JSON.stringify(one.name)}`);
  }
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const differs = before === undefined || after === undefined ? [] : differenceOf(before, after);
  const isSame = kind === 'changed' && differs.length === 0;
  const change: RowChange = { kind, before, after, differs };
  return { changes: isSame ? [] : [change], unchanged: isSame ? 1 : 0 };
}

function findRow({ rows, address }: FoundSide): ResourceRow | undefined {
  const { resource } = address;
  return resource === null ? undefined : rows.find((row) => compareResourceKeys(row, resource) === 0);
}

function pairOf(change: RowChange): HashPair | undefined {
  const [left, right] = [change.before?.hash, change.after?.hash];
  if (!hasTwoBodies(change) || typeof left !== 'string' || typeof right !== 'string') return undefined;
  return { typeUrl: change.before?.typeUrl ?? '', left, right };
}

function itemOf({ kind, left, right, outcome }: DiffItem): DiffAnswerItem[] {
  const row = left ?? right;
  if (row === undefined) return [];
  const { typeUrl, service, name } = row;
  const sides = { left: left && sideOf(left), right: right && sideOf(right) };
  const lines = [...(outcome?.lines ?? [])];
  return [{ kind, typeUrl, service, name, ...sides, totals: outcome?.totals, lines }];
}

function sideOf({ versionInfo, hash, sizeBytes, state, changedAt }: ResourceRow) {
  return { versionInfo, hash, sizeBytes, state, changedAt };
}

interface FoundSide {
  readonly address: DiffAddress;
  readonly reported: DiffSide;
  /** The order is that of buildResourceRows(). */
  readonly rows: readonly ResourceRow[];
  /** Equal revisions mean equal rows. */
  readonly revision: string;
}

interface DiffSidesOptions {
  readonly subjects: Pick<ClientSubjects, 'find' | 'findReportedRows'>;
  readonly permalinks: Pick<PermalinksApi, 'findSubject'>;
}

/** `field` is the parameter that names the side. Throws 400 if it is no address, 404 if there is no such side. */
async function findSide(
  options: DiffSidesOptions,
  text: string,
  field: string,
  signal?: AbortSignal,
): Promise<FoundSide> {
  const address = parseDiffAddress(text);
  if (address === undefined) {
    throw badRequest(
      `${field}: expected client/ID, client/ID@MOMENT or permalink/ID, optionally followed by ;control-plane or ;source=ID (clients only), and by /TYPE/NAME, got ${JSON.stringify(text.slice(0, 200))}`,
      field,
    );
  }
  const { what, id, at, side, sourceId } = address;
  const found =
    what === 'client'
      ? await options.subjects.find(id, at ?? undefined, { field, signal })
      : await options.permalinks.findSubject(id);
  if (found === undefined) {
    const noun = what === 'client' ? 'Client' : 'Permalink';
    throw notFound(noun, `${field}: no ${what} has the id ${JSON.stringify(id)}`);
  }
  const reportedRows =
    sourceId === null
      ? undefined
      : await options.subjects.findReportedRows(id, sourceId, at ?? undefined, field);
  const rows = reportedRows ?? (side === null ? found.rows : buildControlPlaneRows(found.rows));
  if (side !== null && rows.length === 0) {
    throw notFound('Report', `${field}: no control plane has reported what it sent to this client`);
  }
  if (sourceId !== null && rows.length === 0) {
    throw notFound(
      'Report',
      `${field}: the source ${JSON.stringify(sourceId)} reports nothing of this client then`,
    );
  }
  const isSent = side !== null || (sourceId !== null && rows.every((row) => row.side === 'control-plane'));
  return {
    address,
    rows,
    revision: 'revision' in found && typeof found.revision === 'string' ? found.revision : '',
    reported: {
      address: formatDiffAddress(address),
      what,
      id,
      clientId: found.client.id,
      nodeId: found.client.nodeId,
      scope: found.client.scope,
      side: isSent ? 'control-plane' : 'client',
      ...(sourceId !== null && { sourceId }),
      at: found.at,
      moment: found.moment,
      resources: rows.filter(({ typeUrl }) => !isProcessDocument(typeUrl)).length,
    },
  };
}
