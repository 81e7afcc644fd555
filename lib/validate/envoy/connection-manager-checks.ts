import type { Field } from '../field';
import { router } from '../http-filters';
import { isCustom } from '../listener/http-filter-rules';
import type { Report } from '../rule';
import { checkConfigSource } from './common-checks';
import { checkUpgrades } from './route-rules';

export function checkManager(manager: Field, report: Report): void {
  checkLogs(manager.at('accessLog'), report);
  for (const filter of manager.at('httpFilters').items()) {
    const config = filter.at('typedConfig');
    if (config.typeName === router && !config.isTypedStruct) checkLogs(config.at('upstreamLog'), report);
  }
  const last = manager.at('httpFilters').items().at(-1)?.at('disabled');
  if (last?.isTrue === true) report({ field: last, expected: 'false: the last filter is terminal' });
  const kilobytes = manager.in('commonHttpProtocolOptions', 'maxResponseHeadersKb');
  if (kilobytes.exists) report({ field: kilobytes, expected: 'no value in a listener' });
  const rds = manager.at('rds');
  if (rds.exists) checkConfigSource(rds.at('configSource'), report);
  checkClientAddress(manager, report);
  checkPorts(manager, report);
  checkLogOptions(manager, ['accessLogFlushInterval', 'flushAccessLogOnNewRequest'], report);
  const provider = manager.in('tracing', 'provider');
  if (provider.exists && !provider.at('typedConfig').exists)
    report({ field: provider.at('typedConfig'), expected: 'the config of a tracer' });
  checkUpgrades(manager.at('upgradeConfigs'), report);
  for (const upgrade of manager.at('upgradeConfigs').items()) checkUpgradeFilters(upgrade, report);
}

/** How the address of the client is found. */
function checkClientAddress(manager: Field, report: Report): void {
  const extensions = manager.at('originalIpDetectionExtensions');
  if (extensions.items().length > 0) {
    const remote = manager.at('useRemoteAddress');
    const hops = manager.at('xffNumTrustedHops');
    const expected = 'no value beside originalIpDetectionExtensions';
    if (remote.isTrue) report({ field: remote, expected });
    if (hops.numberOr(0) > 0) report({ field: hops, expected });
  }
  for (const extension of extensions.items()) {
    const config = extension.at('typedConfig');
    const hops = config.at('xffNumTrustedHops');
    if (config.at('xffTrustedCidrs').exists && hops.numberOr(0) > 0)
      report({ field: hops, expected: 'no value beside xffTrustedCidrs' });
  }
}

function checkPorts(manager: Field, report: Report): void {
  const any = manager.at('stripAnyHostPort');
  if (any.isTrue && manager.at('stripMatchingHostPort').isTrue)
    report({ field: any, expected: 'false: stripMatchingHostPort is true' });
}

/** Fields that are deprecated cannot be combined with the options that replace them. */
export function checkLogOptions(filter: Field, deprecated: readonly string[], report: Report): void {
  if (!filter.at('accessLogOptions').exists) return;
  for (const name of deprecated) {
    const field = filter.at(name);
    if (field.exists && field.value !== false)
      report({ field, expected: 'no value beside accessLogOptions' });
  }
}

function checkUpgradeFilters(upgrade: Field, report: Report): void {
  const filters = upgrade.at('filters').items();
  for (const [index, filter] of filters.entries()) {
    const { typeName } = filter.at('typedConfig');
    const isLast = index === filters.length - 1;
    if (typeName.startsWith('envoy.') && !isCustom(filter) && isLast !== (typeName === router))
      report({
        field: filter,
        expected: isLast ? 'the router as last filter' : 'the router only at the end',
      });
  }
}

/** A connection manager for HTTP/3 belongs to a listener for QUIC. */
export function checkCodec(listener: Field, manager: Field, report: Report): void {
  const codec = manager.at('codecType');
  const isQuic = listener.in('udpListenerConfig', 'quicOptions').exists;
  if (codec.text === 'HTTP3' && !isQuic)
    report({ field: codec, expected: 'another codec: the listener is not for QUIC' });
}

export function checkLogs(logs: Field, report: Report): void {
  for (const log of logs.items())
    if (!log.at('typedConfig').exists)
      report({ field: log.at('typedConfig'), expected: 'the config of an access logger' });
}
