import { LDS, RDS } from '../../xds/resource-type';
import type { Field } from '../field';
import type { Reactions } from '../profile';
import { type Report, type Rule, spare } from '../rule';
import { routeConfigsOf, routesOf, virtualHostsOf } from './route-parts';

/** A rule of a route configuration, be it a resource or inside a listener (L15). */
export function ruleOfConfig(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Reactions,
  check: (config: Field, report: Report) => void,
): Rule {
  return {
    id,
    types: [RDS.typeUrl, LDS.typeUrl],
    source,
    fieldPath,
    reactions,
    check(resource, report, { typeUrl }) {
      for (const { field, skippedBy } of routeConfigsOf(resource, typeUrl))
        check(field, spare(report, skippedBy));
    },
  };
}

export function ruleOfHost(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Reactions,
  check: (host: Field, report: Report) => void,
): Rule {
  return ruleOfConfig(id, source, `virtualHosts[].${fieldPath}`, reactions, (config, report) => {
    for (const host of virtualHostsOf(config)) check(host, report);
  });
}

/** `check` hears nothing of who drops the route: its breaches spare them. */
export function ruleOfRoute(
  id: string,
  source: string,
  fieldPath: string,
  reactions: Reactions,
  check: (route: Field, report: Report) => void,
): Rule {
  return ruleOfHost(id, source, `routes[].${fieldPath}`, reactions, (host, report) => {
    for (const { field, skippedBy } of routesOf(host)) check(field, spare(report, skippedBy));
  });
}
