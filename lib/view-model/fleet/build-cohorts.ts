import { itemsPerStep, type Steps } from '../../steps/steps';
import { isProcessDocument } from '../../xds/process-document';
import { compareTypeUrls } from '../../xds/resource-type';
import { countValues, findSeparators } from './find-separators';
import { contentOfType, type FleetMember } from './fleet-member';
import type { Separator } from './separator';

/** Clients that run the same. */
export interface Cohort {
  /** A name of what they run, which `runs=` of a filter takes. */
  readonly content: string;
  readonly members: readonly FleetMember[];
  /** Types of which it runs something else than the largest one does. */
  readonly differsIn: readonly string[];
  /** What its members share and those of the largest one do not; empty for the largest one. */
  readonly separators: readonly Separator[];
}

export interface CohortType {
  readonly typeUrl: string;
  /** Clients that hold something of it, and how many different contents that makes. */
  readonly clients: number;
  readonly contents: number;
}

export interface Cohorts {
  /** Largest first. Of those behind `most` nothing was looked for that they share. */
  readonly cohorts: readonly Cohort[];
  /** What all outside the largest one share. */
  readonly oddSeparators: readonly Separator[];
  readonly clients: number;
  /** Hold nothing of what is compared. */
  readonly without: number;
  readonly types: readonly CohortType[];
}

/**
 * Who runs the same, by names and bodies alone: of one type, or over all. `members` in an order that stays: of cohorts
 * of one size the one that comes first there is the first.
 */
export function* buildCohorts(
  members: readonly FleetMember[],
  { typeUrl, most }: { readonly typeUrl: string | undefined; readonly most: number },
): Steps<Cohorts> {
  const byContent = new Map<string, FleetMember[]>();
  const byType = new Map<string, Map<string, number>>();
  for (const [index, member] of members.entries()) {
    for (const type of member.summary.types) countType(byType, type);
    const content =
      typeUrl === undefined
        ? member.content
        : contentOfType(member.summary.types.find((type) => type.typeUrl === typeUrl));
    const known = byContent.get(content);
    if (known === undefined) byContent.set(content, [member]);
    else known.push(member);
    if (index % itemsPerStep === 0) yield;
  }
  const without = byContent.get('')?.length ?? 0;
  byContent.delete('');
  const sorted = [...byContent].sort(([, a], [, b]) => b.length - a.length);
  const [largest, ...rest] = sorted;
  const usual = largest?.[1] ?? [];
  const odd = rest.flatMap(([, each]) => each);
  const usualValues = yield* countValues(rest.length > 0 ? usual : []);
  const cohorts: Cohort[] = [];
  for (const [index, [content, each]] of sorted.entries()) {
    const isReported = index > 0 && index < most;
    const separators = isReported ? yield* findSeparators(each, usualValues) : [];
    cohorts.push({
      content,
      members: each,
      differsIn: isReported ? (typeUrl === undefined ? differing(each, usual) : [typeUrl]) : [],
      separators,
    });
  }
  return {
    cohorts,
    oddSeparators: rest.length > 1 ? yield* findSeparators(odd, usualValues) : (cohorts[1]?.separators ?? []),
    clients: members.length - without,
    without,
    types: [...byType]
      .map(([type, contents]) => ({
        typeUrl: type,
        clients: sum(contents.values()),
        contents: contents.size,
      }))
      .sort((a, b) => compareTypeUrls(a.typeUrl, b.typeUrl)),
  };
}

function countType(
  byType: Map<string, Map<string, number>>,
  { typeUrl, total, content = '' }: FleetMember['summary']['types'][number],
): void {
  if (total === 0) return;
  const contents = byType.get(typeUrl) ?? new Map<string, number>();
  byType.set(typeUrl, contents);
  contents.set(content, (contents.get(content) ?? 0) + 1);
}

/** All of a cohort run the same: one of each is enough. */
function differing(some: readonly FleetMember[], others: readonly FleetMember[]): string[] {
  const contentsOf = (members: readonly FleetMember[]): Map<string, string | undefined> =>
    new Map(
      (members[0]?.summary.types ?? [])
        .filter(({ total, typeUrl }) => total > 0 && !isProcessDocument(typeUrl))
        .map(({ typeUrl, content }) => [typeUrl, content]),
    );
  const [a, b] = [contentsOf(some), contentsOf(others)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((type) => a.get(type) !== b.get(type))
    .sort(compareTypeUrls);
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
