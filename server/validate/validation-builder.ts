import { validationLimits as limits, type Validation } from '@/lib/api/findings';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { Profile, Reaction } from '@/lib/validate/profile';
import type { CollectedFindings, Finding } from '@/lib/validate/validate-resource';
import type { InputProblem } from '../codec/input/input';

type ValidatedResource = NonNullable<Validation['resources']>[number];
type Verdict = Validation['verdict'];

/** A resource of the document without its verdict. */
export type NamedResource = Omit<ValidatedResource, 'verdict' | 'findings'>;

interface Listed {
  readonly finding: Finding;
  readonly index: number;
}

/** Builds the answer of POST validate. It keeps only those parts of a document that the answer lists. */
export class ValidationBuilder {
  /** The first findings by reaction of the client, as many as an answer lists. */
  readonly #kept: Readonly<Record<Reaction, Listed[]>> = { NACK: [], ignore: [], accept: [] };
  readonly #findings = { NACK: 0, ignore: 0, accept: 0 };
  readonly #resources = { ACK: 0, NACK: 0 };
  readonly #keptResources: Readonly<
    Record<Verdict, { readonly resource: NamedResource; readonly index: number }[]>
  > = { ACK: [], NACK: [] };

  constructor(private readonly profile: Profile) {}

  add(resource: NamedResource, { findings, unlisted }: CollectedFindings): void {
    const index = this.#resources.ACK + this.#resources.NACK;
    let verdict: Verdict = 'ACK';
    const count = (reaction: Reaction, by: number): void => {
      this.#findings[reaction] += by;
      if (reaction === 'NACK') verdict = 'NACK';
    };
    for (const finding of findings) {
      const reaction = finding.reactions[this.profile];
      const kept = this.#kept[reaction];
      if (kept.length < limits.findings) kept.push({ finding, index });
      count(reaction, 1);
    }
    for (const { reactions, count: by } of unlisted) count(reactions[this.profile], by);
    this.#resources[verdict] += 1;
    const kept = this.#keptResources[verdict];
    if (kept.length < limits.resources) kept.push({ resource, index });
  }

  ofResource(apiVersion: Pick<Validation, 'apiVersion'>): Validation {
    return { verdict: this.#verdict(), ...apiVersion, ...this.#rest(this.#listed(), 0, 0, 0) };
  }

  ofDocument(problems: readonly InputProblem[]): Validation {
    const listed = this.#listed();
    const byResource = new Map<number, Finding[]>();
    for (const { finding, index } of listed) {
      const own = byResource.get(index);
      if (own === undefined) byResource.set(index, [finding]);
      else own.push(finding);
    }
    const { NACK, ACK } = this.#keptResources;
    const resources = [
      ...NACK.map((each) => ({ ...each, verdict: 'NACK' as const })),
      ...ACK.map((each) => ({ ...each, verdict: 'ACK' as const })),
    ]
      .slice(0, limits.resources)
      .sort((a, b) => a.index - b.index)
      .map(({ resource, index, verdict }) => {
        return { ...resource, verdict, findings: byResource.get(index) ?? [] };
      });
    const shown = problems.slice(0, limits.problems);
    const resourcesLeft = this.#resources.ACK + this.#resources.NACK - resources.length;
    return {
      verdict: this.#verdict(),
      ...this.#rest(listed, resourcesLeft, problems.length, problems.length - shown.length),
      resources,
      ...(shown.length > 0 && { problems: shown.map(({ place, reason }) => ({ place, reason })) }),
    };
  }

  #verdict(): Verdict {
    return this.#resources.NACK > 0 ? 'NACK' : 'ACK';
  }

  #listed(): Listed[] {
    const { NACK, ignore, accept } = this.#kept;
    return [...NACK, ...ignore, ...accept].slice(0, limits.findings);
  }

  #rest(
    listed: readonly Listed[],
    resourcesLeft: number,
    problems: number,
    problemsLeft: number,
  ): Pick<Validation, 'findings' | 'totals' | 'notListed'> {
    const { NACK, ignore, accept } = this.#findings;
    const left = {
      findings: NACK + ignore + accept - listed.length,
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

/** Returns an empty text if all are listed. */
function describeLeft(listed: number, left: number, noun: string, order: string): string {
  if (left === 0) return '';
  const verb = left === 1 ? 'is' : 'are';
  return `${formatCount(listed)} of ${formatCounted(listed + left, noun)} are listed${order}; ${formatCount(left)} more ${verb} not listed.`;
}
