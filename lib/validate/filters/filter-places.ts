import { before, type Profile, profiles, profilesOf } from '../../xds/profile';
import { LDS, RDS } from '../../xds/resource-type';
import { connectionManagersOf } from '../connection-managers';
import type { Field } from '../field';
import { knownOverrideBy, readsConfig, typeSeenBy, unwrapOverride } from '../http-filters';
import type { Reactions } from '../reactions';
import { foreignTo, routeConfigsOf, routesOf, virtualHostsOf } from '../route/route-parts';
import { type Report, type Rule, reportExceptFor } from '../rule';

/**
 * The config of an HTTP filter: in a listener's chain, or as an override of a virtual host, route or weighted
 * cluster.
 */
interface FilterPlace {
  readonly config: Field;
  readonly isOverride: boolean;
  /** gRPC clients that parse the config in this place, and Envoy. */
  readonly readers: ReadonlySet<Profile>;
}

/** An entry of typed_per_filter_config. */
interface OverrideEntry {
  readonly name: string;
  readonly field: Field;
  /** Clients that never reach the entry. */
  readonly skippedBy: ReadonlySet<Profile>;
}

/** All overrides of a route configuration: of virtual hosts, routes and weighted clusters. */
export function overridesOf(config: Field): OverrideEntry[] {
  const entries: OverrideEntry[] = [];
  const add = (owner: Field, skippedBy: ReadonlySet<Profile>): void => {
    for (const [name, field] of owner.at('typedPerFilterConfig').entries())
      entries.push({ name, field, skippedBy });
  };
  for (const host of virtualHostsOf(config)) {
    add(host, new Set());
    for (const { field: route, skippedBy } of routesOf(host)) {
      const action = route.at('route');
      // grpc-js-xds reads only routes whose action is a cluster.
      const node = action.exists ? [] : profilesOf('node');
      const skippers = new Set([...skippedBy, ...foreignTo(action, 'core', 'go'), ...node]);
      add(route, skippers);
      for (const cluster of action.in('weightedClusters', 'clusters').items()) {
        const isUnused = cluster.at('weight').numberOr(0) === 0;
        add(
          cluster,
          isUnused ? new Set([...skippers, ...profilesOf('go', ...before('core-1.56'))]) : skippers,
        );
      }
    }
  }
  return entries;
}

/** Every rule about filters needs the same places of a resource, which can have 100,000. */
const placesByResource = new WeakMap<Field, readonly TypedPlace[]>();

interface TypedPlace extends FilterPlace {
  readonly typeName: string;
}

/** Places with a readable config that is not a TypedStruct. */
function typedPlacesOf(resource: Field, typeUrl: string): readonly TypedPlace[] {
  const known = placesByResource.get(resource);
  if (known !== undefined) return known;
  const places = placesOf(resource, typeUrl)
    .filter(({ config }) => config.unreadable === undefined && !config.isTypedStruct)
    .map((place) => ({ ...place, typeName: place.config.typeName }));
  placesByResource.set(resource, places);
  return places;
}

function placesOf(resource: Field, typeUrl: string): FilterPlace[] {
  const places: FilterPlace[] = [];
  if (typeUrl === LDS.typeUrl) {
    for (const { field: manager, side, skippedBy } of connectionManagersOf(resource)) {
      for (const item of manager.at('httpFilters').items()) {
        const config = item.at('typedConfig');
        const isOptional = item.at('isOptional').isTrue;
        const readers = profiles.filter(
          (each) => !skippedBy.has(each) && readsConfig(each, typeSeenBy(each, config), side, isOptional),
        );
        places.push({ config, isOverride: false, readers: new Set(readers) });
      }
    }
  }
  for (const { field, skippedBy } of routeConfigsOf(resource, typeUrl)) {
    for (const entry of overridesOf(field)) {
      const { config } = unwrapOverride(entry.field);
      const readers = knownOverrideBy(config).filter(
        (each) => !skippedBy.has(each) && !entry.skippedBy.has(each),
      );
      places.push({ config, isOverride: true, readers: new Set(readers) });
    }
  }
  return places;
}

/** A rule about the configs of one type of HTTP filter. Findings name only the clients that parse the config. */
export function ruleOfFilter(
  id: string,
  title: string,
  source: string,
  typeNames: readonly string[],
  reactions: Reactions,
  check: (config: Field, report: Report, place: FilterPlace) => void,
): Rule {
  return {
    id,
    title,
    types: [LDS.typeUrl, RDS.typeUrl],
    source,
    reactions,
    check(resource, report, { typeUrl }) {
      for (const place of typedPlacesOf(resource, typeUrl)) {
        const { config, readers, typeName } = place;
        if (!typeNames.includes(typeName)) continue;
        const others = new Set(profiles.filter((each) => !readers.has(each)));
        check(config, reportExceptFor(report, others), place);
      }
    },
  };
}
