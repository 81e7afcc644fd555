import { bodyInEffect, type EffectState } from '../facts/effect';
import type { Side, Vantage } from '../observation/observation';
import type { ResourceState } from '../observation/resource-state';
import { reportsResources } from '../observation/vantage';
import { clientOf, nameOf, type Profile } from '../xds/profile';
import { type BrokenRule, describeRejection, keepsEarlierBody } from './rejection';
import type { Judgement } from './resource-store';

/** Sources whose acceptance counts as that of the profile's clients. */
export interface Trust {
  /** Sources that report what a client of the profile runs. */
  readonly ownSources: readonly string[];
  /** Our own probes. The failed configuration that they report is the rejected body. */
  readonly probes: readonly string[];
  /** The reason why rules are applied, formatted; empty if the client itself reported everything. */
  readonly reason: string;
  /** True if what an Envoy reports as active is that of the profile's client, in a document too. */
  readonly isOfEnvoy?: true | undefined;
}

export interface TrustInput {
  readonly profile: Profile;
  /** The profile of the client itself. */
  readonly ownProfile: Profile;
  readonly reports: Iterable<{ readonly sourceId: string; readonly vantage: Vantage; readonly side: Side }>;
}

/** Only reports of a client of this profile about itself are accepted without validation. */
export function findTrust({ profile, ownProfile, reports }: TrustInput): Trust {
  const own: string[] = [];
  const probes: string[] = [];
  const reasons = new Set<string>();
  for (const { sourceId, vantage, side } of reports) {
    if (!reportsResources({ vantage }) || side === 'control-plane') continue;
    if (vantage === 'probe') {
      probes.push(sourceId);
      reasons.add("accepted by xdscope's probe");
    } else if (vantage === 'dump') {
      // A bootstrap file configures its resources, and states nothing about their acceptance.
      reasons.add('read from a file');
    } else if (ownProfile === profile) own.push(sourceId);
    else reasons.add(`accepted by a client treated as ${nameOf(ownProfile)}`);
  }
  const accepted = [...reasons].join(', ');
  const basis = accepted === '' && own.length === 0 ? 'reported by the control plane only' : accepted;
  const isOfEnvoy = clientOf(profile) === 'envoy' && clientOf(ownProfile) === 'envoy';
  const rules = `the rules of ${nameOf(profile)} decide`;
  const others =
    isOfEnvoy && accepted !== ''
      ? `what the Envoy lists as active is in effect, and ${rules} which of the others it accepts`
      : `${rules} which of them are accepted`;
  const reason = basis === '' ? '' : `the resources were ${basis}: ${others}`;
  return { ownSources: own, probes, reason, ...(isOfEnvoy && { isOfEnvoy }) };
}

/**
 * Trust for where traffic goes. The traffic of every client can be shown as that of C-core, which is then assumed to
 * accept whatever the reporting client accepted.
 */
export function findTrafficTrust(input: TrustInput): Trust {
  const { profile, ownProfile, reports } = input;
  if (clientOf(profile) !== 'core' || clientOf(ownProfile) === 'core') return findTrust(input);
  return {
    ownSources: [...reports].map(({ sourceId }) => sourceId),
    probes: [],
    reason: `C-core is assumed to accept these resources, which were accepted by a client treated as ${nameOf(ownProfile)}`,
  };
}

export interface ValidatedRow extends EffectState {
  readonly sourceId: string;
  readonly side: Side;
  /** The control plane's report of the resource, if there is one. */
  readonly controlPlane: Pick<ResourceState, 'versionInfo' | 'hash'> | null;
  readonly errorState: (EffectState['errorState'] & { readonly versionInfo: string }) | null;
}

export interface Candidate {
  readonly hash: string;
  readonly isRejected: boolean;
}

/**
 * Bodies that the profile's client could use, newest first; null if the client itself reported the row, which counts more
 * than what rules predict.
 */
export function candidatesOf(row: ValidatedRow, trust: Trust): Candidate[] | null {
  const { ownSources, probes, isOfEnvoy } = trust;
  if (row.side === 'client' && (ownSources.includes(row.sourceId) || (isOfEnvoy && row.stage !== undefined)))
    return null;
  const rejected = row.clientStatus === 'NACKED' ? rejectedHashOf(row, probes) : null;
  const kept = bodyInEffect(row);
  const candidates: Candidate[] = rejected === null ? [] : [{ hash: rejected, isRejected: true }];
  if (kept !== undefined && kept !== rejected) candidates.push({ hash: kept, isRejected: false });
  return candidates;
}

/** null if no source reports the rejected body reliably: some clients report the last good config in its place. */
function rejectedHashOf(
  { errorState, controlPlane, sourceId }: ValidatedRow,
  probes: readonly string[],
): string | null {
  const failed = errorState?.failedHash ?? null;
  if (probes.includes(sourceId)) return failed;
  if (controlPlane === null || errorState === null || controlPlane.hash === null) return null;
  const isSent = controlPlane.hash === failed || controlPlane.versionInfo === errorState.versionInfo;
  return isSent && controlPlane.versionInfo !== '' ? controlPlane.hash : null;
}

/** The body that the profile's client would use. `key` is the key of the row. */
export function validateRow(
  key: { readonly typeUrl: string; readonly name: string },
  candidates: readonly Candidate[],
  brokenRuleOf: (hash: string) => BrokenRule | null,
  profile: Profile,
): Judgement | undefined {
  const { typeUrl, name } = key;
  let newest: (BrokenRule & { readonly hash: string }) | undefined;
  for (const { hash, isRejected } of candidates) {
    const broken = brokenRuleOf(hash);
    if (broken !== null) {
      newest ??= { ...broken, hash };
      if (!keepsEarlierBody(newest)) break;
      continue;
    }
    if (newest === undefined) {
      const note = isRejected ? `it was rejected; ${nameOf(profile)} would accept it` : '';
      return { hash, rejection: null, note };
    }
    const note = `${describeRejection(newest, profile)}; the last good config stays in use`;
    return { hash, rejection: { typeUrl, name, ...newest, keepsEarlier: true }, note };
  }
  return newest && { rejection: { typeUrl, name, ...newest, keepsEarlier: false }, note: '' };
}
