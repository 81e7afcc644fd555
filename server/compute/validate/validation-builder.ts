import { by } from '@/lib/collections/compare';
import { formatCount, formatCounted } from '@/lib/format/count';
import { type UncheckedPart, uncheckedBy } from '@/lib/validate/find-unchecked';
import {
  type Reaction,
  type Reactions,
  reactionOrder,
  severer,
  type Verdict,
  verdictOfReaction,
  verdicts,
} from '@/lib/validate/reactions';
import { type CollectedFindings, type Finding, verdictOfValidated } from '@/lib/validate/validate-resource';
import { validationLimits as limits, type Validation } from '@/lib/views/findings/schema';
import { mapProfiles, type Profile, profiles } from '@/lib/xds/profile';
import type { InputProblem } from '../../codec/input/input';

type ListedResource = NonNullable<Validation['resources']>[number];

/** A resource of the document without its verdict. */
type NamedResource = Omit<ListedResource, 'verdict' | 'findings' | 'unchecked'>;

interface ListedFinding {
  readonly finding: Finding;
  readonly index: number;
}

/** Builds the answer of POST validate. It keeps only those parts of a document that the answer lists. */
export class ValidationBuilder {
  readonly #profile: Profile;

  /** The first findings by reaction of the client, as many as an answer lists. */
  readonly #kept: Readonly<Record<Reaction, ListedFinding[]>> = byReaction(() => []);
  readonly #findings = byReaction(() => 0);
  readonly #resources = byVerdict(() => 0);
  readonly #keptResources: Readonly<
    Record<
      Verdict,
      {
        readonly resource: NamedResource;
        readonly index: number;
        readonly unchecked: readonly UncheckedPart[];
      }[]
    >
  > = byVerdict(() => []);
  readonly #severest = mapProfiles((): Verdict => 'ACK');
  readonly #dependsOn = new Set<string>();
  #count = 0;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  add(
    resource: NamedResource,
    { findings, unlisted }: CollectedFindings,
    unchecked: readonly UncheckedPart[],
  ): void {
    const index = this.#count;
    this.#count += 1;
    const severest = mapProfiles((): Reaction => 'accept');
    const count = (reactions: Reactions, by: number): void => {
      const reaction = reactions[this.#profile];
      this.#findings[reaction] += by;
      for (const each of profiles) severest[each] = severer(severest[each], reactions[each]);
    };
    for (const finding of findings) {
      const reaction = finding.reactions[this.#profile];
      const kept = this.#kept[reaction];
      if (kept.length < limits.findings) kept.push({ finding, index });
      count(finding.reactions, 1);
      if (finding.dependsOn !== undefined) this.#dependsOn.add(finding.dependsOn);
    }
    for (const { reactions, count: by } of unlisted) count(reactions, by);
    for (const each of profiles) {
      const own = verdictOfReaction(severest[each]);
      const verdict = own === 'ACK' ? verdictOfValidated({ findings, unchecked }, each) : own;
      this.#severest[each] = severerVerdict(this.#severest[each], verdict);
      if (each !== this.#profile) continue;
      this.#resources[verdict] += 1;
      const kept = this.#keptResources[verdict];
      if (kept.length < limits.resources)
        kept.push({ resource, index, unchecked: uncheckedBy(each, unchecked) });
    }
  }

  ofResource(apiVersion: Pick<Validation, 'apiVersion'>): Validation {
    const [unchecked = []] = verdicts.flatMap((verdict) =>
      this.#keptResources[verdict].map((each) => each.unchecked),
    );
    return {
      ...this.#verdicts(),
      ...(unchecked.length > 0 && { unchecked: unchecked.map(copyPart) }),
      ...apiVersion,
      ...this.#rest(this.#listed(), 0, 0, 0),
    };
  }

  ofDocument(problems: readonly InputProblem[]): Validation {
    const listed = this.#listed();
    const byResource = new Map<number, Finding[]>();
    for (const { finding, index } of listed) {
      const own = byResource.get(index);
      if (own === undefined) byResource.set(index, [finding]);
      else own.push(finding);
    }
    const resources = verdicts
      .flatMap((verdict) => this.#keptResources[verdict].map((each) => ({ ...each, verdict })))
      .slice(0, limits.resources)
      .sort(by(({ index }) => index))
      .map(({ resource, index, verdict, unchecked }) => {
        return {
          ...resource,
          verdict,
          ...(unchecked.length > 0 && { unchecked: unchecked.map(copyPart) }),
          findings: byResource.get(index) ?? [],
        };
      });
    const shown = problems.slice(0, limits.problems);
    const resourcesLeft = this.#count - resources.length;
    return {
      ...this.#verdicts(),
      ...this.#rest(listed, resourcesLeft, problems.length, problems.length - shown.length),
      resources,
      ...(shown.length > 0 && { problems: shown.map(({ place, reason }) => ({ place, reason })) }),
    };
  }

  #verdicts(): Pick<Validation, 'verdict' | 'profile' | 'verdicts' | 'dependsOn'> {
    const profile = this.#profile;
    return {
      verdict: this.#severest[profile],
      profile,
      verdicts: { ...this.#severest },
      ...(this.#dependsOn.size > 0 && { dependsOn: [...this.#dependsOn] }),
    };
  }

  #listed(): ListedFinding[] {
    return reactionOrder.flatMap((reaction) => this.#kept[reaction]).slice(0, limits.findings);
  }

  #rest(
    listed: readonly ListedFinding[],
    resourcesLeft: number,
    problems: number,
    problemsLeft: number,
  ): Pick<Validation, 'findings' | 'totals' | 'notListed'> {
    const found = reactionOrder.reduce((sum, reaction) => sum + this.#findings[reaction], 0);
    const left = {
      findings: found - listed.length,
      resources: resourcesLeft,
      problems: problemsLeft,
    };
    const text = [
      describeLeft(listed.length, left.findings, 'finding', ', the most severe first'),
      describeLeft(limits.resources, left.resources, 'resource', ', rejected ones first'),
      describeLeft(limits.problems, left.problems, 'problem', ''),
    ]
      .filter((sentence) => sentence !== '')
      .join(' ');
    return {
      findings: listed.map(({ finding }) => finding),
      totals: { findings: { ...this.#findings }, resources: { ...this.#resources }, problems },
      ...(text === '' ? {} : { notListed: { ...left, text } }),
    };
  }
}

function copyPart(part: UncheckedPart): NonNullable<Validation['unchecked']>[number] {
  return { ...part, clients: [...part.clients] };
}

function severerVerdict(a: Verdict, b: Verdict): Verdict {
  return verdicts.indexOf(a) <= verdicts.indexOf(b) ? a : b;
}

function byReaction<T>(of: () => T): Record<Reaction, T> {
  return {
    ...{ NACK: of(), 'no answer': of(), crash: of(), 'not serving': of(), 'ignore resource': of() },
    ...{ ignore: of(), accept: of() },
  };
}

function byVerdict<T>(of: () => T): Record<Verdict, T> {
  return {
    ...{ NACK: of(), NO_ANSWER: of(), CRASH: of(), ACK_NOT_SERVING: of(), ACK_IGNORED: of() },
    ...{ NO_FAULT_FOUND: of(), ACK: of() },
  };
}

/** Returns an empty text if all are listed. */
function describeLeft(listed: number, left: number, noun: string, order: string): string {
  if (left === 0) return '';
  const verb = left === 1 ? 'is' : 'are';
  return `${formatCount(listed)} of ${formatCounted(listed + left, noun)} are listed${order}; ${formatCount(left)} more ${verb} not listed.`;
}
