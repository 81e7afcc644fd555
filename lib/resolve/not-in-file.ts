import type { Doubt, Stage } from '../observation/effect-stage';
import { CDS, EDS, LDS, RDS } from '../xds/resource-type';

interface FileRow {
  readonly stage?: Stage | undefined;
  readonly isStatic?: boolean | undefined;
  readonly doubt?: Doubt | undefined;
}

/** What the rows of a client show of the document that they were read from. */
export interface FileEvidence {
  /** `config-dump`: an Envoy listed what it has. `bootstrap`: a bootstrap file has only what is static. */
  readonly kind: 'config-dump' | 'bootstrap' | 'other';
  readonly hasClusters: boolean;
  readonly hasEndpoints: boolean;
}

/** Rows are given by their type URL. Only those of the config dump of an Envoy have stages. */
export function readFileEvidence(rowsOf: (typeUrl: string) => Iterable<FileRow>): FileEvidence {
  const has = (typeUrl: string): boolean => !rowsOf(typeUrl)[Symbol.iterator]().next().done;
  let isBootstrap = false;
  for (const typeUrl of [CDS.typeUrl, LDS.typeUrl])
    for (const { stage, isStatic, doubt } of rowsOf(typeUrl)) {
      if (doubt === 'configured') isBootstrap = true;
      else if (stage !== undefined || isStatic)
        return { kind: 'config-dump', hasClusters: has(CDS.typeUrl), hasEndpoints: has(EDS.typeUrl) };
    }
  const kind = isBootstrap ? 'bootstrap' : 'other';
  return { kind, hasClusters: has(CDS.typeUrl), hasEndpoints: has(EDS.typeUrl) };
}

/**
 * Returns why it is not known if the client has a resource that no row states. Empty: absence shows that it has none.
 * ?name_regex, ?resource and ?mask leave out resources of a config dump, and nothing in the dump shows it.
 */
export function whyNotInFile(typeUrl: string, { kind, hasClusters, hasEndpoints }: FileEvidence): string {
  if (kind === 'other') return '';
  if (kind === 'bootstrap') return 'it is not in the bootstrap file, which has only static resources';
  if (typeUrl === EDS.typeUrl && !hasEndpoints)
    return 'the config dump has no endpoints: it was written without include_eds';
  if (typeUrl === CDS.typeUrl && !hasClusters)
    return 'the config dump has no clusters: it was read in part, as with name_regex or resource';
  if (typeUrl === RDS.typeUrl)
    return 'it is not in the config dump: Envoy leaves out a route configuration of which it has accepted none, and name_regex or resource those that do not match';
  return '';
}
