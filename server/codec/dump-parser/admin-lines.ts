/** Keys of a host in the text form of /clusters, by their names in JSON. Others are counters. */
const hostKeys = [
  ...['hostname', 'health_flags', 'weight', 'region', 'zone', 'sub_zone', 'canary', 'priority'],
  ...['success_rate', 'local_origin_success_rate'],
  ...[
    'cx_active',
    'cx_connect_fail',
    'cx_total',
    'rq_active',
    'rq_error',
    'rq_success',
    'rq_timeout',
    'rq_total',
  ],
];
const address = String.raw`(?:\[[^\]]*\]|[^:[\]\s]+):\d+|/\S+?|envoy://\S+?`;
/** A name may contain "::", and an IPv6 address does. */
const ofHost = new RegExp(`^(.+?)::(${address})::(${hostKeys.join('|')})::(.*)$`);
const ofCluster =
  /^(.+)::(?:(?:default|high)_priority::max_\w+|added_via_api|observability_name|eds_service_name|outlier::\w+|version_info)::(.*)$/;
const ofListener = new RegExp(`^(.*)::(${address})$`);

/** The words of `health_flags`, by the fields of envoy.admin.v3.HostHealthStatus. */
const flags: Readonly<Record<string, string>> = {
  failed_active_hc: 'failed_active_health_check',
  failed_outlier_check: 'failed_outlier_check',
  degraded_active_hc: 'failed_active_degraded_check',
  pending_dynamic_removal: 'pending_dynamic_removal',
  pending_active_hc: 'pending_active_hc',
  excluded_via_immediate_hc_fail: 'excluded_via_immediate_hc_fail',
  active_hc_timeout: 'active_hc_timeout',
};
const edsStates: Readonly<Record<string, string>> = {
  failed_eds_health: 'UNHEALTHY',
  eds_status_draining: 'DRAINING',
  degraded_eds_health: 'DEGRADED',
};

type Host = Record<string, unknown>;

/**
 * Reads the text form of Envoy's /clusters and /listeners into what their JSON form has. Returns undefined for any other
 * text. A line that is cut at the end of the document is ignored.
 */
export function readAdminLines(text: string): object | undefined {
  if (!/^[^\n{}[\]]*\S::\S/.test(text) && !/^[^\n]*::\[/.test(text)) return undefined;
  const clusters = new Map<string, Map<string, Host>>();
  const services = new Map<string, string>();
  const listeners: object[] = [];
  const lines = text.split('\n').map((line) => line.trimEnd());
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const host = ofHost.exec(line);
    const cluster = host === null ? ofCluster.exec(line) : null;
    const listener = (host ?? cluster) ? null : ofListener.exec(line);
    if (host !== null) {
      const [, name = '', at = '', key = '', value = ''] = host;
      const hosts = clusters.get(name) ?? new Map<string, Host>();
      clusters.set(name, hosts);
      const known = hosts.get(at) ?? { address: addressOf(at), stats: [] };
      hosts.set(at, known);
      setMember(known, key, value);
    } else if (cluster !== null) {
      const [, name = '', value = ''] = cluster;
      if (!clusters.has(name)) clusters.set(name, new Map());
      if (line.includes('::eds_service_name::')) services.set(name, value);
    } else if (listener !== null) {
      const [, name = '', at = ''] = listener;
      listeners.push({ name, local_address: addressOf(at) });
    } else if (index < lines.length - 1) return undefined;
  }
  if (clusters.size > 0) {
    return {
      cluster_statuses: [...clusters].map(([name, hosts]) => ({
        name,
        ...(services.has(name) && { eds_service_name: services.get(name) }),
        host_statuses: [...hosts.values()],
      })),
    };
  }
  return listeners.length > 0 ? { listener_statuses: listeners } : undefined;
}

/** MUTATES `host`. */
function setMember(host: Host, key: string, value: string): void {
  if (key === 'health_flags') host.health_status = healthOf(value);
  else if (key === 'hostname') host.hostname = value;
  else if (key === 'weight' || key === 'priority') host[key] = Number(value);
  else if (key === 'region' || key === 'zone' || key === 'sub_zone') {
    if (value !== '') host.locality = { ...(host.locality ?? {}), [key]: value };
  } else if (key === 'success_rate' || key === 'local_origin_success_rate') {
    if (Number(value) >= 0) host[key] = { value: Number(value) };
  } else if (/^[cr][xq]_/.test(key) && Array.isArray(host.stats)) {
    const isGauge = key.endsWith('_active');
    host.stats.push({ ...(isGauge && { type: 'GAUGE' }), name: key, value });
  }
}

function healthOf(words: string): object {
  const status: Record<string, unknown> = {};
  for (const word of words.split('/')) {
    const flag = flags[word];
    if (flag !== undefined) status[flag] = true;
    const state = edsStates[word];
    if (state !== undefined) status.eds_health_status = state;
  }
  return status;
}

function addressOf(text: string): object {
  if (text.startsWith('/')) return { pipe: { path: text } };
  if (text.startsWith('envoy://')) {
    const [name = '', id = ''] = text.slice('envoy://'.length).split('/');
    return { envoy_internal_address: { server_listener_name: name, endpoint_id: id } };
  }
  const at = text.lastIndexOf(':');
  const host = text.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  return { socket_address: { address: host, port_value: Number(text.slice(at + 1)) } };
}
