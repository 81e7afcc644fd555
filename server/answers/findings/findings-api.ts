import { by, byDescending, inTurn } from '@/lib/collections/compare';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { explainProfile } from '@/lib/resolve/client-profile';
import { type UncheckedPart, uncheckedBy } from '@/lib/validate/find-unchecked';
import { isTrouble, type Verdict, verdictOfReaction } from '@/lib/validate/reactions';
import { type Finding, verdictOf, verdictOfValidated } from '@/lib/validate/validate-resource';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { ClientFindings, FindingsQuery, ResourceFindings } from '@/lib/views/findings/schema';
import { buildBodies } from '@/lib/views/inspector/build-bodies';
import { isProcessDocument } from '@/lib/xds/process-document';
import { clientOf, mapProfiles, type Profile, profiles } from '@/lib/xds/profile';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { BodyKey, Validator } from '../../compute/validate/document-validator';
import { findRowContexts } from '../../compute/validate/row-contexts';
import { inSlices } from '../../workers/threads/in-slices';
import type { KnownSettings } from '../subjects/known-settings';

interface ValidatedRow {
  readonly row: ResourceRow;
  readonly key: BodyKey | null;
  readonly hash?: string | undefined;
  readonly role: ResourceFindings['role'];
  readonly isRejected: boolean;
  readonly findings: readonly Finding[];
  readonly unchecked: readonly UncheckedPart[];
}

interface ValidatedClient {
  readonly client: ClientDetail;
  readonly rows: readonly ResourceRow[];
  readonly at: EpochMs;
  readonly reported: KnownSettings;
}

export async function findFindings(
  validate: Validator,
  { client, rows, at, reported }: ValidatedClient,
  query: FindingsQuery,
  signal?: AbortSignal,
): Promise<Omit<ClientFindings, 'notices'>> {
  const { profile, reason: profileReason, possible, isHint } = explainProfile(query.profile, client);
  const judged = {
    profile,
    possible: isHint ? [] : (possible ?? [profile]),
    isOwn: query.profile === undefined,
  };
  const validated = await validateRows(validate, { client, rows, at, reported }, query, signal);
  const items: ResourceFindings[] = [];
  const counter = new FindingsCounter(judged);
  let before: ResourceRow | undefined;
  await inSlices(validated, (each) => {
    const found = itemOf(each, judged, query);
    // The content that the client rejected follows the one that it holds.
    if (query.only === 'rejected' && found.length > 0 && before === each.row) items.pop();
    items.push(...found);
    counter.add(each);
    before = each.row;
  });
  return {
    clientId: client.id,
    at,
    profile,
    profileReason,
    ...(isHint && { isHint }),
    ...(possible !== undefined && { isAssumed: true as const }),
    counts: counter.counts(),
    total: items.length,
    offset: query.offset,
    items: items.slice(query.offset, query.offset + query.limit),
  };
}

function isWanted(row: ResourceRow, { typeUrl, name }: FindingsQuery): boolean {
  if (isProcessDocument(row.typeUrl)) return false;
  return (typeUrl === undefined || row.typeUrl === typeUrl) && (name === undefined || row.name === name);
}

async function validateRows(
  validate: Validator,
  { client, rows, reported }: ValidatedClient,
  query: FindingsQuery,
  signal: AbortSignal | undefined,
): Promise<ValidatedRow[]> {
  const bodies: Omit<ValidatedRow, 'findings' | 'unchecked'>[] = [];
  const keys: BodyKey[] = [];
  const contextOf = await findRowContexts(rows, reported.certificateProviders);
  await inSlices(rows, (row) => {
    if (!isWanted(row, query)) return;
    for (const body of bodiesOf(row, client)) {
      const { hash } = body;
      const key = hash === undefined ? null : { hash, typeUrl: row.typeUrl, context: contextOf(row) };
      bodies.push({ row, key, ...body });
      if (key !== null) keys.push(key);
    }
  });
  const validatedOf = await validate.validateBodies(keys, signal);
  const validated: ValidatedRow[] = [];
  await inSlices(bodies, (body) => {
    const found = body.key === null ? undefined : validatedOf(body.key);
    validated.push({ ...body, ...(found ?? { findings: [], unchecked: [] }) });
  });
  return validated;
}

/**
 * Returns the body that the client holds, and each known body that it rejected, which may be known from the control
 * plane only. A rejected row without a body is listed for the error message of the client.
 */
function bodiesOf(
  row: ResourceRow,
  client: ClientDetail,
): Pick<ValidatedRow, 'hash' | 'role' | 'isRejected'>[] {
  const vantage = client.reports.find(({ sourceId }) => sourceId === row.sourceId)?.vantage ?? 'csds';
  const { choices } = buildBodies(row, vantage);
  const isNacked = row.clientStatus === 'NACKED';
  const wanted = choices.filter(({ role }) => role !== 'control-plane' || isNacked || choices.length === 1);
  if (wanted.length === 0 && isNacked) return [{ role: '', isRejected: true }];
  return wanted.map(({ hash, role }) => ({
    hash,
    role,
    isRejected: role === 'rejected' || (role === 'control-plane' && isNacked),
  }));
}

/** The profiles that the client may have. Empty: what the rules find are hints. */
interface Judged {
  readonly profile: Profile;
  readonly possible: readonly Profile[];
  /** The rules are those of the client itself, so that what it has accepted needs no check. */
  readonly isOwn: boolean;
}

/** Only what every possible client does is certain. */
function certainOf(findings: readonly Finding[], { profile, possible }: Judged): readonly Finding[] {
  if (possible.length === 0) return [];
  return findings.filter(({ reactions }) => possible.every((each) => reactions[each] === reactions[profile]));
}

/** No fault is found if a rule of a possible client may be violated, or its rules do not cover every part. */
function judge(
  { findings, unchecked }: Pick<ValidatedRow, 'findings' | 'unchecked'>,
  judged: Judged,
): Verdict {
  const { profile, possible } = judged;
  const violated = verdictOf(certainOf(findings, judged), profile);
  const isCertain =
    possible.length > 0 &&
    possible.every((each) =>
      ['ACK', 'ACK_IGNORED'].includes(verdictOfValidated({ findings, unchecked }, each)),
    );
  return violated === 'ACK' && !isCertain ? 'NO_FAULT_FOUND' : violated;
}

/** Returns [] if the filters exclude the row. A rejected resource is listed even without findings of ours. */
function itemOf(
  { row, hash, role, isRejected, findings, unchecked }: ValidatedRow,
  judged: Judged,
  query: FindingsQuery,
): ResourceFindings[] {
  const { profile, possible } = judged;
  const certain = certainOf(findings, judged);
  const verdict = judge({ findings, unchecked }, judged);
  const open = [...new Set(possible.flatMap((each) => uncheckedBy(each, unchecked)))];
  const shown = findings.filter(
    (finding) =>
      (query.rule === undefined || finding.ruleId === query.rule) &&
      (query.about === 'all' || isAbout(finding, profile) === (query.about === 'profile')) &&
      (query.only !== 'NACK' ||
        (certain.includes(finding) && isTrouble(verdictOfReaction(finding.reactions[profile])))),
  );
  const clientError = errorOf(row);
  const isReported = clientError !== '' && query.rule === undefined && query.about !== 'others';
  if (query.only === 'rejected' ? !isReported : shown.length === 0 && !isReported) return [];
  return [
    {
      typeUrl: row.typeUrl,
      service: formatResourceType(row.typeUrl),
      name: row.name,
      ...(row.apiVersion && { apiVersion: row.apiVersion }),
      versionInfo: isRejected ? (row.errorState?.versionInfo ?? '') : row.versionInfo,
      clientStatus: row.clientStatus,
      hash,
      role,
      isRejected,
      verdict,
      ...(open.length > 0 && { unchecked: open.map((part) => ({ ...part, clients: [...part.clients] })) }),
      clientError,
      findings: shown.map((finding) => ({ ...finding })),
    },
  ];
}

/** Returns true if the client reports that it uses the resource. A bootstrap alone, which has no times, does not. */
function isAccepted({ clientStatus, stage, isStatic, lastUpdated }: ResourceRow): boolean {
  return clientStatus === 'ACKED' || stage !== undefined || (isStatic && lastUpdated !== null);
}

function errorOf(row: ResourceRow): string {
  return row.clientStatus === 'NACKED' ? (row.errorState?.details ?? '') : '';
}

/**
 * True if the finding concerns clients of the profile. A finding that some profiles reject or ignore concerns those
 * profiles. A finding that all profiles accept concerns those that do not accept it where its assumption does not
 * hold; without an assumption, it concerns the clients whose behaviour the source of the rule describes: gRPC, Envoy,
 * or both.
 */
function isAbout(
  { reactions, otherwise, source }: Pick<Finding, 'reactions' | 'otherwise' | 'source'>,
  profile: Profile,
): boolean {
  if (reactions[profile] !== 'accept') return true;
  if (profiles.some((each) => reactions[each] !== 'accept')) return false;
  if (otherwise !== undefined) return otherwise[profile] !== 'accept';
  return !(clientOf(profile) === 'envoy' ? /^(?:gRFC|C-core)/ : /^Envoy/).test(source);
}

class FindingsCounter {
  readonly #judged: Judged;

  #validated = 0;
  #found = 0;
  #total = 0;
  #ofProfile = 0;
  #noFaultFound = 0;
  readonly #rejected = new Set<ResourceRow>();
  readonly #nacked: Record<Profile, number> = mapProfiles(() => 0);
  readonly #byRule = new Map<string, ClientFindings['counts']['byRule'][number]>();

  constructor(judged: Judged) {
    this.#judged = judged;
  }

  add({ row, hash, role, findings, unchecked }: ValidatedRow): void {
    if (hash !== undefined) {
      this.#validated += 1;
      const isKnown = this.#judged.isOwn && role === 'client' && isAccepted(row);
      if (!isKnown && judge({ findings, unchecked }, this.#judged) === 'NO_FAULT_FOUND')
        this.#noFaultFound += 1;
    }
    if (errorOf(row) !== '') this.#rejected.add(row);
    if (findings.length === 0) return;
    this.#found += 1;
    this.#total += findings.length;
    const { profile } = this.#judged;
    const certain = certainOf(findings, this.#judged);
    for (const each of profiles) {
      const ofEach = each === profile ? certain : findings;
      if (isTrouble(verdictOf(ofEach, each))) this.#nacked[each] += 1;
    }
    for (const finding of findings) {
      const { ruleId, title = ruleId, source, reactions } = finding;
      const before = this.#byRule.get(ruleId) ?? {
        ruleId,
        title,
        source,
        findings: 0,
        ofProfile: 0,
        nacked: 0,
      };
      const isNacked = certain.includes(finding) && isTrouble(verdictOfReaction(reactions[profile]));
      const nacked = before.nacked + (isNacked ? 1 : 0);
      const isOwn = isAbout(finding, profile);
      if (isOwn) this.#ofProfile += 1;
      const ofProfile = before.ofProfile + (isOwn ? 1 : 0);
      this.#byRule.set(ruleId, { ...before, findings: before.findings + 1, ofProfile, nacked });
    }
  }

  counts(): ClientFindings['counts'] {
    return {
      validated: this.#validated,
      found: this.#found,
      findings: this.#total,
      ofProfile: this.#ofProfile,
      rejected: this.#rejected.size,
      noFaultFound: this.#noFaultFound,
      nacked: this.#nacked,
      byRule: [...this.#byRule.values()].sort(
        inTurn(
          byDescending(({ nacked }) => nacked),
          byDescending(({ ofProfile }) => ofProfile),
          byDescending(({ findings }) => findings),
          by(({ ruleId }) => ruleId),
        ),
      ),
    };
  }
}
