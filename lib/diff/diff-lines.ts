import type { FieldDiff, ItemDiff, LeafDiff, ValueDiff } from './value-diff';

export const diffLineKinds = ['added', 'removed', 'changed', 'moved', 'order', 'notation'] as const;
export type DiffLineKind = (typeof diffLineKinds)[number];

/** One thing that differs, in one line. */
export interface DiffLine {
  readonly kind: DiffLineKind;
  /** As in "virtualHosts[shop].routes[checkout].route.weightedClusters.clusters[shop-v1].weight". */
  readonly path: string;
  /** JSON of one line, or a place; null: it is not there. */
  readonly before: string | null;
  readonly after: string | null;
  /** In words; may be empty. */
  readonly reason: string;
}

/** What really differs. With `all` also what stands in another order or is written otherwise and means the same. */
export function* diffLines(diff: ValueDiff | null, all = false, path = ''): Generator<DiffLine, void> {
  if (diff === null) return;
  if (diff.kind === 'leaf') {
    if (all || !diff.isNotation) yield leafLine(diff, path);
  } else if (diff.kind === 'fields') {
    for (const field of diff.fields) yield* diffLines(field.diff, all, joinPath(path, field));
  } else {
    for (const item of diff.items) {
      const itemPath = `${path}[${item.label}]`;
      if (item.isMoved) yield movedLine(item, itemPath, diff.rule.reason);
      yield* diffLines(item.diff, all, itemPath);
    }
    if (all && diff.isReordered)
      yield { kind: 'order', path, before: null, after: null, reason: diff.rule.reason };
  }
}

/** What a leaf shows: a field that is not there shows what that means, where it means a value. */
export function leafLine(diff: LeafDiff, path: string): DiffLine {
  const before = diff.before === undefined ? diff.absent : diff.before;
  const after = diff.after === undefined ? diff.absent : diff.after;
  return {
    kind: diff.isNotation
      ? 'notation'
      : before === undefined
        ? 'added'
        : after === undefined
          ? 'removed'
          : 'changed',
    path,
    before: before === undefined ? null : oneLine(before, diff.before === undefined),
    after: after === undefined ? null : oneLine(after, diff.after === undefined),
    reason: diff.reason,
  };
}

export function movedLine({ left, right }: ItemDiff, path: string, reason: string): DiffLine {
  return { kind: 'moved', path, before: `place ${left}`, after: `place ${right}`, reason };
}

export function joinPath(path: string, { name, formerly }: Pick<FieldDiff, 'name' | 'formerly'>): string {
  if (formerly !== undefined) return `${path}[${JSON.stringify(name)}, before ${JSON.stringify(formerly)}]`;
  const step = /^[A-Za-z_@][\w@]*$/.test(name) ? name : JSON.stringify(name);
  if (step !== name) return `${path}[${step}]`;
  return path === '' ? name : `${path}.${name}`;
}

const mostChars = 400;

function oneLine(value: unknown, isDefault: boolean): string {
  const text = JSON.stringify(value);
  const cut = text.length <= mostChars ? text : `${text.slice(0, mostChars - 1)}…`;
  return isDefault ? `${cut} (default)` : cut;
}
