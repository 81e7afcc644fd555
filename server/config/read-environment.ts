import { ConfigError } from '../config-error';
import { logFormats, logLevels } from '../logger';
import type { ConfigFile } from './config';

type Environment = Readonly<Record<string, string | undefined>>;

/** XDSCOPE_* variables as the same values that the flags give; empty ones count as not said. */
export function readEnvironment(env: Environment): ConfigFile & { readonly config?: string } {
  const text = (name: string): string | undefined => {
    const value = env[`XDSCOPE_${name}`]?.trim();
    return value === undefined || value === '' ? undefined : value;
  };
  const list = (name: string): string[] | undefined =>
    text(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  const flag = (name: string): boolean | undefined => {
    const value = text(name)?.toLowerCase();
    if (value === undefined) return undefined;
    if (['1', 'true', 'yes', 'on'].includes(value)) return true;
    if (['0', 'false', 'no', 'off'].includes(value)) return false;
    throw new ConfigError(`XDSCOPE_${name}: expected 1 or 0, got ${JSON.stringify(env[`XDSCOPE_${name}`])}`);
  };
  const choice = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const value = text(name);
    const chosen = values.find((each) => each === value);
    if (value === undefined || chosen !== undefined) return chosen;
    throw new ConfigError(`XDSCOPE_${name}: expected ${values.join(', ')}, got ${JSON.stringify(value)}`);
  };
  const said = {
    csds: list('CSDS'),
    csdsDns: list('CSDS_DNS'),
    csdsFiles: list('CSDS_FILE'),
    csdsInterval: text('CSDS_INTERVAL'),
    envoyAdmin: list('ENVOY_ADMIN'),
    envoyAdminInterval: text('ENVOY_ADMIN_INTERVAL'),
    istiod: list('ISTIOD'),
    istiodInterval: text('ISTIOD_INTERVAL'),
    ads: list('ADS'),
    bootstrap: text('BOOTSTRAP'),
    targets: list('TARGET'),
    serverListeners: list('SERVER_LISTENER'),
    adsTransport: text('ADS_TRANSPORT'),
    adsCrossCheck: flag('ADS_CROSS_CHECK'),
    adsMode: text('ADS_MODE'),
    adsProfile: text('ADS_PROFILE'),
    errorModel: text('ERROR_MODEL'),
    maxMessageMegabytes: text('MAX_MESSAGE_MEGABYTES'),
    taps: list('TAP'),
    replay: text('REPLAY'),
    replayClient: text('REPLAY_CLIENT'),
    replayAt: text('REPLAY_AT'),
    lrsListen: text('LRS_LISTEN'),
    lrsInterval: text('LRS_INTERVAL'),
    lrsClusters: list('LRS_CLUSTER'),
    lrsEndpoints: flag('LRS_ENDPOINTS'),
    descriptorSets: list('DESCRIPTOR_SET'),
    host: text('HOST'),
    insecureNoAuth: flag('INSECURE_NO_AUTH'),
    port: text('PORT'),
    allowedHosts: list('ALLOWED_HOST'),
    logLevel: choice('LOG_LEVEL', logLevels),
    logFormat: choice('LOG_FORMAT', logFormats),
    allowTargets: list('ALLOW_TARGET'),
    dataDir: text('DATA_DIR'),
    setAsideDamaged: flag('SET_ASIDE_DAMAGED'),
    config: text('CONFIG'),
    lab: flag('LAB'),
    weather: flag('WEATHER'),
    maxClients: text('MAX_CLIENTS'),
    maxClientsPerSource: text('MAX_CLIENTS_PER_SOURCE'),
    retentionDays: text('RETENTION_DAYS'),
    retentionMegabytes: text('RETENTION_MEGABYTES'),
    retentionCount: text('RETENTION_COUNT'),
  };
  // Numbers stay text here; readConfig checks them with the flags, by one rule.
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
