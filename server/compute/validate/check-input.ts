import { by } from '@/lib/collections/compare';
import { type UncheckedPart, uncheckedBy } from '@/lib/validate/find-unchecked';
import { isTrouble, reactionOrder, severer, type Verdict, verdictOfReaction } from '@/lib/validate/reactions';
import { type CollectedFindings, type Finding, verdictOfValidated } from '@/lib/validate/validate-resource';
import { checkLimits as limits } from '@/lib/views/check/schema';
import type { Profile } from '@/lib/xds/profile';
import { markTexts, type RedactionMarker } from '../../codec/redaction-marker';
import { renderBody } from '../../codec/render-body';
import { peekResourceName } from '../../codec/resource-name';
import { redactText } from '../../codec/secrets/redact-text';
import { redactTexts } from '../../codec/secrets/redact-texts';
import type { Body } from '../../observe';
import { type FoundInInput, type InputDocument, validateEach } from './validation-input';

export interface InputToCheck extends InputDocument {
  /** The profiles that get a verdict. */
  readonly profiles: readonly Profile[];
  /** The index of the resource whose text is wanted; by default the first one that a profile would reject. */
  readonly show?: number | undefined;
}

interface CheckedResource extends Pick<FoundInInput, 'typeUrl' | 'name' | 'place' | 'apiVersion'> {
  readonly index: number;
  readonly sizeBytes: number;
  readonly verdicts: Readonly<Partial<Record<Profile, Verdict>>>;
  readonly findings: readonly Finding[];
  readonly findingsTotal: number;
  readonly unchecked: readonly UncheckedPart[];
}

/** A resource as a client would receive it. */
export interface CheckedBody {
  readonly name: string;
  readonly body: Body;
  readonly isRedacted: boolean;
  readonly verdicts: CheckedResource['verdicts'];
  /** The index of the client in the document to which the resource belongs, or is sent. */
  readonly client: number;
}

export type CheckedInput =
  | {
      readonly ok: true;
      /** At most as many as an answer lists, in the order of the input. */
      readonly resources: readonly CheckedResource[];
      readonly bodies: readonly CheckedBody[];
      readonly shown?: { readonly index: number; readonly text: string };
      readonly problems: readonly { readonly place: string; readonly reason: string }[];
      readonly problemsTotal: number;
      /** What the responses of the input remove by name. */
      readonly removals: readonly { readonly typeUrl: string; readonly name: string }[];
      /** The types of its responses that have no resources. */
      readonly emptyTypes: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/** A longer text is not shown. */
const mostTextBytes = 1024 * 1024;
/** The findings of all resources that are listed. */
const mostFindings = 1_000;

/** The verdicts of several profiles on each resource of a document. Names, findings and texts are redacted. */
export function checkInput(
  { profiles, show, ...input }: InputToCheck,
  marker: RedactionMarker,
): CheckedInput {
  const redact = <T>(value: T): T => redactTexts(value, (text) => redactText(text, markTexts(marker)));
  const bodies: CheckedBody[] = [];
  const resources: CheckedResource[] = [];
  const read = validateEach(
    input,
    marker,
    ({ body, isRedacted, collected, unchecked, client, name: given, ...resource }) => {
      const name = redact(given || (peekResourceName(body.typeUrl, body.bytes) ?? ''));
      const verdicts = verdictsOf(collected, unchecked, profiles);
      bodies.push({ name, body, isRedacted, verdicts, client });
      resources.push({
        ...{ ...resource, name, verdicts },
        index: resources.length,
        sizeBytes: body.bytes.length,
        findings: severest(collected.findings, profiles),
        findingsTotal:
          collected.findings.length + collected.unlisted.reduce((sum, { count }) => sum + count, 0),
        unchecked: unchecked.filter((part) => profiles.some((each) => uncheckedBy(each, [part]).length > 0)),
      });
    },
  );
  if (!read.ok) return redact(read);
  const shown = show ?? resources.find(isRejected)?.index ?? 0;
  const text = textOf(bodies[shown]?.body);
  return {
    ok: true,
    resources: redact(chooseListed(resources)),
    bodies,
    ...(text !== undefined && { shown: { index: shown, text } }),
    problems: redact(read.problems.slice(0, limits.problems).map(({ place, reason }) => ({ place, reason }))),
    problemsTotal: read.problems.length,
    removals: redact(read.removals.map((each) => ({ ...each }))),
    emptyTypes: [...new Set(read.emptyTypes)],
  };
}

function verdictsOf(
  { findings, unlisted }: CollectedFindings,
  unchecked: readonly UncheckedPart[],
  profiles: readonly Profile[],
): CheckedResource['verdicts'] {
  const verdicts: Partial<Record<Profile, Verdict>> = {};
  for (const profile of profiles) {
    const reaction = [...findings, ...unlisted]
      .map(({ reactions }) => reactions[profile])
      .reduce(severer, 'accept');
    const verdict = verdictOfReaction(reaction);
    verdicts[profile] = verdict === 'ACK' ? verdictOfValidated({ findings, unchecked }, profile) : verdict;
  }
  return verdicts;
}

function isRejected({ verdicts }: CheckedResource): boolean {
  return Object.values(verdicts).some(isTrouble);
}

/** The first findings, by the severest reaction of a profile. */
function severest(findings: readonly Finding[], profiles: readonly Profile[]): Finding[] {
  const rank = ({ reactions }: Finding): number =>
    reactionOrder.indexOf(profiles.map((each) => reactions[each]).reduce(severer, 'accept'));
  return [...findings].sort(by(rank)).slice(0, limits.findings);
}

function chooseListed(resources: readonly CheckedResource[]): CheckedResource[] {
  const rejectedFirst = [...resources].sort(by((each) => (isRejected(each) ? 0 : 1)));
  const listed = rejectedFirst.slice(0, limits.resources);
  let left = mostFindings;
  return listed
    .map((each) => {
      const findings = each.findings.slice(0, left);
      left -= findings.length;
      return { ...each, findings };
    })
    .sort(by(({ index }) => index));
}

/** Returns undefined for a resource that does not exist, or is too large. */
function textOf(body: Body | undefined): string | undefined {
  if (body === undefined || body.bytes.length > mostTextBytes) return undefined;
  const { text } = renderBody(body.typeUrl, body.bytes, 'yaml');
  return text.length > mostTextBytes ? undefined : text;
}
