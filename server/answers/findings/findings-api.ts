import { by, byDescending, inTurn } from '@/lib/collections/compare';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { explainProfile } from '@/lib/resolve/client-profile';
import { type UncheckedPart, uncheckedBy } from '@/lib/validate/find-unchecked';
import { isTrouble, verdictOfReaction } from '@/lib/validate/reactions';
import { type Finding, verdictOf, verdictOfValidated } from '@/lib/validate/validate-resource';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { ClientFindings, FindingsQuery, ResourceFindings } from '@/lib/views/findings/schema';
import { buildBodies } from '@/lib/views/inspector/build-bodies';
import { clientOf, mapProfiles, type Profile, profiles } from '@/lib/xds/profile';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { KnownSettings } from '../../subjects/known-settings';
import { inSlices } from '../../threads/in-slices';
import type { BodyKey, Validator } from '../../validate/document-validator';
import { findRowContexts } from '../../validate/row-contexts';

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
  const { profile, reason: profileReason, possible } = explainProfile(query.profile, client);
  const validated = await validateRows(validate, { client, rows, at, reported }, query, signal);
  const items: ResourceFindings[] = [];
  const counter = new FindingsCounter(profile);
  let before: ResourceRow | undefined;
  await inSlices(validated, (each) => {
    const found = itemOf(each, profile, query, possible);
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
    counts: counter.counts(),
    total: items.length,
    offset: query.offset,
    items: items.slice(query.offset, query.offset + query.limit),
  };
}

function isWanted(row: ResourceRow, { typeUrl, name }: FindingsQuery): boolean {
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

/** Returns [] if the filters exclude the row. A rejected resource is listed even without findings of ours. */
function itemOf(
  { row, hash, role, isRejected, findings, unchecked }: ValidatedRow,
  profile: Profile,
  query: FindingsQuery,
  possible: readonly Profile[] = [profile],
): ResourceFindings[] {
  // Only what every possible client does is certain.
  const certain = findings.filter(({ reactions }) =>
    possible.every((each) => reactions[each] === reactions[profile]),
  );
  const isCertain = possible.every((each) =>
    ['ACK', 'ACK_IGNORED'].includes(verdictOfValidated({ findings, unchecked }, each)),
  );
  const violated = verdictOf(certain, profile);
  const verdict = violated === 'ACK' && !isCertain ? 'NO_FAULT_FOUND' : violated;
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
  readonly #profile: Profile;

  #validated = 0;
  #found = 0;
  #total = 0;
  #ofProfile = 0;
  readonly #rejected = new Set<ResourceRow>();
  readonly #nacked: Record<Profile, number> = mapProfiles(() => 0);
  readonly #byRule = new Map<string, ClientFindings['counts']['byRule'][number]>();

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  add({ row, hash, findings }: ValidatedRow): void {
    if (hash !== undefined) this.#validated += 1;
    if (errorOf(row) !== '') this.#rejected.add(row);
    if (findings.length === 0) return;
    this.#found += 1;
    this.#total += findings.length;
    for (const each of profiles) if (isTrouble(verdictOf(findings, each))) this.#nacked[each] += 1;
    for (const { ruleId, title = ruleId, source, reactions, otherwise } of findings) {
      const before = this.#byRule.get(ruleId) ?? {
        ruleId,
        title,
        source,
        findings: 0,
        ofProfile: 0,
        nacked: 0,
      };
      const nacked = before.nacked + (isTrouble(verdictOfReaction(reactions[this.#profile])) ? 1 : 0);
      const isOwn = isAbout({ reactions, otherwise, source }, this.#profile);
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
