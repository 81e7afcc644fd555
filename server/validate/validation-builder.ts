import { by } from '@/lib/collections/compare';
import { formatCount, formatCounted } from '@/lib/format/count';
import {
  type Reaction,
  type Reactions,
  reactionOrder,
  severer,
  type Verdict,
  verdictOfReaction,
  verdicts,
} from '@/lib/validate/reactions';
import type { CollectedFindings, Finding } from '@/lib/validate/validate-resource';
import { validationLimits as limits, type Validation } from '@/lib/views/findings/schema';
import { mapProfiles, type Profile, profiles } from '@/lib/xds/profile';
import type { InputProblem } from '../codec/input/input';

type ValidatedResource = NonNullable<Validation['resources']>[number];

/** A resource of the document without its verdict. */
type NamedResource = Omit<ValidatedResource, 'verdict' | 'findings'>;

interface Listed {
  readonly finding: Finding;
  readonly index: number;
}

/** Builds the answer of POST validate. It keeps only those parts of a document that the answer lists. */
export class ValidationBuilder {
  readonly #profile: Profile;

  /** The first findings by reaction of the client, as many as an answer lists. */
  readonly #kept: Readonly<Record<Reaction, Listed[]>> = byReaction(() => []);
  readonly #findings = byReaction(() => 0);
  readonly #resources = byVerdict(() => 0);
  readonly #keptResources: Readonly<
    Record<Verdict, { readonly resource: NamedResource; readonly index: number }[]>
  > = byVerdict(() => []);
  readonly #severest = mapProfiles((): Reaction => 'accept');
  readonly #dependsOn = new Set<string>();
  #count = 0;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  add(resource: NamedResource, { findings, unlisted }: CollectedFindings): void {
    const index = this.#count;
    this.#count += 1;
    let severest: Reaction = 'accept';
    const count = (reactions: Reactions, by: number): void => {
      const reaction = reactions[this.#profile];
      this.#findings[reaction] += by;
      severest = severer(severest, reaction);
      for (const each of profiles) this.#severest[each] = severer(this.#severest[each], reactions[each]);
    };
    for (const finding of findings) {
      const reaction = finding.reactions[this.#profile];
      const kept = this.#kept[reaction];
      if (kept.length < limits.findings) kept.push({ finding, index });
      count(finding.reactions, 1);
      if (finding.dependsOn !== undefined) this.#dependsOn.add(finding.dependsOn);
    }
    for (const { reactions, count: by } of unlisted) count(reactions, by);
    const verdict = verdictOfReaction(severest);
    this.#resources[verdict] += 1;
    const kept = this.#keptResources[verdict];
    if (kept.length < limits.resources) kept.push({ resource, index });
  }

  ofResource(apiVersion: Pick<Validation, 'apiVersion'>): Validation {
    return { ...this.#verdicts(), ...apiVersion, ...this.#rest(this.#listed(), 0, 0, 0) };
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
      .map(({ resource, index, verdict }) => {
        return { ...resource, verdict, findings: byResource.get(index) ?? [] };
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
      verdict: verdictOfReaction(this.#severest[profile]),
      profile,
      verdicts: mapProfiles((each) => verdictOfReaction(this.#severest[each])),
      ...(this.#dependsOn.size > 0 && { dependsOn: [...this.#dependsOn] }),
    };
  }

  #listed(): Listed[] {
    return reactionOrder.flatMap((reaction) => this.#kept[reaction]).slice(0, limits.findings);
  }

  #rest(
    listed: readonly Listed[],
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

function byReaction<T>(of: () => T): Record<Reaction, T> {
  return {
    ...{ NACK: of(), 'no answer': of(), crash: of(), 'not serving': of(), 'ignore resource': of() },
    ...{ ignore: of(), accept: of() },
  };
}

function byVerdict<T>(of: () => T): Record<Verdict, T> {
  return {
    ...{ NACK: of(), NO_ANSWER: of(), CRASH: of(), ACK_NOT_SERVING: of(), ACK_IGNORED: of() },
    ACK: of(),
  };
}

/** Returns an empty text if all are listed. */
function describeLeft(listed: number, left: number, noun: string, order: string): string {
  if (left === 0) return '';
  const verb = left === 1 ? 'is' : 'are';
  return `${formatCount(listed)} of ${formatCounted(listed + left, noun)} are listed${order}; ${formatCount(left)} more ${verb} not listed.`;
}
