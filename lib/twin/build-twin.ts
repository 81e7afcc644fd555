import { isJsonObject } from '../diff/json-object';
import { FieldReader } from '../model/field-reader';
import { readHashBalancing } from '../model/hash-balancing';
import { CDS, ECDS, EDS, LDS, RDS, RTDS, SDS, SRDS, VHDS } from '../xds/resource-type';
import { reasonAgainst } from './allowed-extensions';
import { markRouteTable, markVirtualHost } from './mark-routes';
import { edsName, rewriteAssignment, rewriteCluster } from './rewrite-cluster';
import { rewriteListener } from './rewrite-listener';
import { Rewriting, type TwinParts } from './rewriting';
import type { MutableJson, Twin, TwinListener, TwinOptions, TwinResource } from './twin';

/**
 * Builds the config of a twin: the resources of a client such that a client on loopback decides as the real one, reaches
 * nothing but echo backends, runs no code of the config, and has no file and no secret of the client.
 */
export function buildTwin(resources: readonly TwinResource[], options: TwinOptions): Twin {
  const parts: TwinParts = {
    options,
    changes: [],
    backends: [],
    backendNames: new Map(),
    extensions: findExtensions(resources),
    hashing: findHashing(resources),
    stubs: new Map(),
  };
  const listeners: TwinListener[] = [];
  const kept = resources.flatMap(({ typeUrl, name, json }): TwinResource[] => {
    const rewriting = new Rewriting(parts, typeUrl, name);
    const found = rewriteResource(typeUrl, json, rewriting);
    if (found === undefined) return [];
    if (found.listener !== undefined) listeners.push(found.listener);
    return [{ typeUrl, name, json: found.json }];
  });
  const { backends, backendNames, changes } = parts;
  const stubs = [...parts.stubs].map(([filter, answer]) => ({ filter, answer }));
  return { resources: kept, listeners, backends, backendNames, changes, stubs };
}

interface Rewritten {
  readonly json: unknown;
  readonly listener?: TwinListener;
}

function rewriteResource(typeUrl: string, json: unknown, rewriting: Rewriting): Rewritten | undefined {
  if (!isJsonObject(json) || 'xdscope.opaque' in json) {
    rewriting.note('', 'removed', 'xdscope cannot decode the resource');
    return undefined;
  }
  switch (typeUrl) {
    case LDS.typeUrl:
      return rewriteListener(json, rewriting);
    case CDS.typeUrl:
      return { json: rewriteCluster(json, rewriting) };
    case EDS.typeUrl: {
      const assignment = rewriteAssignment(json, String(json.clusterName ?? ''), rewriting, '');
      return { json: assignment };
    }
    case RDS.typeUrl: {
      const table = rewriting.keep(json, '') as MutableJson;
      markRouteTable(table, '', rewriting);
      return { json: table };
    }
    case SRDS.typeUrl: {
      const scope = rewriting.keep(json, '') as MutableJson;
      const { routeConfiguration: table } = scope;
      if (isJsonObject(table)) markRouteTable(table, 'routeConfiguration', rewriting);
      return { json: scope };
    }
    case VHDS.typeUrl: {
      const host = rewriting.keep(json, '') as MutableJson;
      markVirtualHost(host, '', rewriting);
      return { json: host };
    }
    case ECDS.typeUrl: {
      const extension = rewriting.keep(json, '');
      return extension === undefined ? undefined : { json: extension };
    }
    case RTDS.typeUrl:
      return { json };
    case SDS.typeUrl:
      rewriting.note(
        '',
        'removed',
        'certificates and keys of the twin are throw-away ones, in the resources',
      );
      return undefined;
    default:
      rewriting.note('', 'removed', 'the twin does not serve resources of this type');
      return undefined;
  }
}

function findHashing(resources: readonly TwinResource[]): ReadonlySet<string> {
  const names = resources.flatMap(({ typeUrl, json }) =>
    typeUrl === CDS.typeUrl &&
    isJsonObject(json) &&
    readHashBalancing(FieldReader.open(json, [])) !== undefined
      ? [edsName(json) ?? String(json.name ?? '')]
      : [],
  );
  return new Set(names);
}

/** Filters whose extension config is absent or removed are removed as well. */
function findExtensions(resources: readonly TwinResource[]): ReadonlySet<string> {
  const names = resources.flatMap(({ typeUrl, name, json }) => {
    const config = typeUrl === ECDS.typeUrl && isJsonObject(json) ? json.typedConfig : undefined;
    const type = isJsonObject(config) ? String(config['@type']) : '';
    return type !== '' && reasonAgainst(type) === '' ? [name] : [];
  });
  return new Set(names);
}
