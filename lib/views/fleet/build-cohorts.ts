import { sum } from 'd3';
import { by, byDescending } from '../../collections/compare';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { compareTypeUrls } from '../../xds/resource-type';
import { configTypes } from './config-types';
import { type CountedValues, countValues, findSeparators } from './find-separators';
import { contentOfType, type FleetMember } from './fleet-member';
import type { Separator } from './separator';

export interface Cohort {
  /** Identifies the config, as `runs=` of a filter does. */
  readonly content: string;
  readonly members: readonly FleetMember[];
  readonly differsIn: readonly string[];
  /**
   * The attributes that the members share and those of the largest cohort do not, unless that is likely to be random;
   * empty for the largest one and for a single client, whose attributes all differ from those of others.
   */
  readonly separators: readonly Separator[];
}

interface CohortType {
  readonly typeUrl: string;
  /** The number of clients that hold resources of the type, and of their different contents. */
  readonly clients: number;
  readonly contents: number;
}

export interface Cohorts {
  /** Largest first. Separators are computed for the first `most` only. */
  readonly cohorts: readonly Cohort[];
  readonly oddSeparators: readonly Separator[];
  readonly clients: number;
  /** Clients that hold nothing of what is compared. */
  readonly without: number;
  readonly types: readonly CohortType[];
}

/**
 * Groups clients with identical config, by names and bodies of one type or of all. The order of `members`, which must be
 * stable, decides between cohorts of one size.
 */
export function* buildCohorts(
  members: readonly FleetMember[],
  { typeUrl, most }: { readonly typeUrl: string | undefined; readonly most: number },
): Steps<Cohorts> {
  const byContent = new Map<string, FleetMember[]>();
  const byType = new Map<string, Map<string, number>>();
  for (const [index, member] of members.entries()) {
    for (const type of configTypes(member.summary)) countType(byType, type);
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
  const sorted = [...byContent].sort(byDescending(([, members]) => members.length));
  const [largest, ...rest] = sorted;
  const usual = largest?.[1] ?? [];
  const odd = rest.flatMap(([, each]) => each);
  const usualValues = yield* countValues(rest.length > 0 ? usual : []);
  const cohorts: Cohort[] = [];
  for (const [index, [content, each]] of sorted.entries()) {
    const isReported = index > 0 && index < most;
    const separators = isReported ? yield* explain(each, usualValues) : [];
    cohorts.push({
      content,
      members: each,
      differsIn: isReported ? (typeUrl === undefined ? differing(each, usual) : [typeUrl]) : [],
      separators,
    });
  }
  return {
    cohorts,
    oddSeparators: rest.length > 1 ? yield* explain(odd, usualValues) : (cohorts[1]?.separators ?? []),
    clients: members.length - without,
    without,
    types: Array.from(byType, ([type, contents]) => ({
      ...{ typeUrl: type, clients: sum(contents.values()), contents: contents.size },
    })).sort(by(({ typeUrl }) => typeUrl, compareTypeUrls)),
  };
}

function* explain(odd: readonly FleetMember[], usual: CountedValues): Steps<Separator[]> {
  if (odd.length === 1) return [];
  const found = yield* findSeparators(odd, usual);
  return found.filter(({ isWeak }) => !isWeak);
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

/** Compares the first members, since all members of a cohort have identical config. */
function differing(some: readonly FleetMember[], others: readonly FleetMember[]): string[] {
  const contentsOf = (members: readonly FleetMember[]): Map<string, string | undefined> =>
    new Map(
      configTypes(members[0]?.summary ?? { types: [] })
        .filter(({ total }) => total > 0)
        .map(({ typeUrl, content }) => [typeUrl, content]),
    );
  const [a, b] = [contentsOf(some), contentsOf(others)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((type) => a.get(type) !== b.get(type))
    .sort(compareTypeUrls);
}
