import { bootstrapTypeUrl } from '../model/bootstrap';
import { hostHealthTypeUrl } from '../model/host-health';
import type { Doubt, Stage } from '../observation/effect-stage';
import type { Side } from '../observation/observation';
import { CDS, EDS, LDS, RDS } from '../xds/resource-type';

interface FileRow {
  readonly name: string;
  readonly stage?: Stage | undefined;
  readonly isStatic?: boolean | undefined;
  readonly doubt?: Doubt | undefined;
  readonly side?: Side | undefined;
}

/** What the rows of a client show of the document that they were read from. */
export interface FileEvidence {
  /**
   * `config-dump`: an Envoy listed what it has. `bootstrap`: a bootstrap file has only what is static. `sent`: a control plane
   * stated what it sends.
   */
  readonly kind: 'config-dump' | 'bootstrap' | 'sent' | 'other';
  readonly hasClusters: boolean;
  readonly hasEndpoints: boolean;
  /** There are hosts of /clusters, which is another document than the dump, of all clusters: without ?filter. */
  readonly hasHosts: boolean;
  /** Nothing was left out of the dump: name_regex would have left out clusters of /clusters, and resource the bootstrap. */
  readonly isWhole: boolean;
}

/** Rows are given by their type URL. Only those of the config dump of an Envoy have stages. */
export function readFileEvidence(rowsOf: (typeUrl: string) => Iterable<FileRow>): FileEvidence {
  const withHosts = new Set(Array.from(rowsOf(hostHealthTypeUrl), ({ name }) => name));
  const isListed = ({ name, stage, isStatic }: FileRow): boolean =>
    withHosts.has(name) || !(stage === 'active' || isStatic);
  const kind = kindOf(rowsOf);
  const hasHosts = withHosts.size > 0 && [...rowsOf(CDS.typeUrl)].every(isListed);
  return {
    kind,
    hasClusters: !isEmpty(rowsOf(CDS.typeUrl)),
    hasEndpoints: !isEmpty(rowsOf(EDS.typeUrl)),
    hasHosts,
    isWhole: kind === 'config-dump' && hasHosts && !isEmpty(rowsOf(bootstrapTypeUrl)),
  };
}

function kindOf(rowsOf: (typeUrl: string) => Iterable<FileRow>): FileEvidence['kind'] {
  let kind: FileEvidence['kind'] | undefined;
  for (const typeUrl of [CDS.typeUrl, LDS.typeUrl])
    for (const { stage, isStatic, doubt, side } of rowsOf(typeUrl)) {
      if (doubt === 'configured') kind = 'bootstrap';
      else if (stage !== undefined || isStatic) return 'config-dump';
      else if (side !== 'control-plane') kind = 'other';
      else kind ??= 'sent';
    }
  return kind ?? 'other';
}

function isEmpty(rows: Iterable<FileRow>): boolean {
  return rows[Symbol.iterator]().next().done === true;
}

/**
 * Returns why it is not known if the client has a resource that no row states. Empty: absence shows that it has none.
 * ?name_regex, ?resource and ?mask leave out resources of a config dump, and nothing in the dump shows it. `isInHosts`:
 * /clusters lists a cluster of its name.
 */
export function whyNotInFile(
  typeUrl: string,
  { kind, hasClusters, hasEndpoints, hasHosts }: FileEvidence,
  isInHosts: boolean,
): string {
  if (kind === 'other') return '';
  if (kind === 'sent')
    return typeUrl === EDS.typeUrl && !hasEndpoints
      ? 'the control plane states no endpoints here, as istiod in /debug/config_dump'
      : '';
  if (kind === 'bootstrap') return 'it is not in the bootstrap file, which has only static resources';
  if (typeUrl === EDS.typeUrl && !hasEndpoints)
    return 'the config dump has no endpoints: it was written without include_eds';
  if (typeUrl === CDS.typeUrl && !hasClusters)
    return 'the config dump has no clusters: it was read in part, as with name_regex or resource';
  if (typeUrl === CDS.typeUrl && isInHosts)
    return 'it is not in the config dump, and /clusters lists it: the dump was read in part, as with name_regex or resource';
  if (typeUrl === CDS.typeUrl && !hasHosts)
    return 'it is not in the config dump: Envoy does not have it, or name_regex or resource left it out, which all of /clusters would show';
  if (typeUrl === RDS.typeUrl)
    return 'it is not in the config dump: Envoy leaves out a route configuration of which it has accepted none, and name_regex or resource those that do not match';
  return '';
}
