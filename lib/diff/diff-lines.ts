import { formatEndCut } from '../format/end-cut';
import type { FieldDiff, ItemDiff, LeafDiff, ValueDiff } from './value-diff';

export const diffLineKinds = ['added', 'removed', 'changed', 'moved', 'order', 'notation'] as const;
export type DiffLineKind = (typeof diffLineKinds)[number];

export interface DiffLine {
  readonly kind: DiffLineKind;
  /** As in "virtualHosts[shop].routes[checkout].route.weightedClusters.clusters[shop-v1].weight". */
  readonly path: string;
  /** JSON in one line, or a place; absent if the value is. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The reason why the values mean the same, or what a reader needs to know; may be empty. */
  readonly reason: string;
}

/** Lists differences in meaning. With `all`, differences in order and notation are included. */
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
    if (all && diff.isReordered) yield { kind: 'order', path, reason: diff.rule.reason };
  }
}

/** Builds the line of a leaf. An absent field shows its default, if it has one. */
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
    before: before === undefined ? undefined : oneLine(before, diff.before === undefined),
    after: after === undefined ? undefined : oneLine(after, diff.after === undefined),
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
  return `${formatEndCut(JSON.stringify(value), mostChars)}${isDefault ? ' (default)' : ''}`;
}
