import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { runTool, suiteFile } from '../cache';
import { startChild } from '../child';
import type { ConfigDir } from '../config-dir';
import type { Peer, Prepared } from '../peer';

const module_ = 'istio.io/istio';
const flags = { GOFLAGS: '-mod=mod' };

/** istiod and pilot-agent. The module proxy offers no release of the module, only its newest commit. */
export const istio: Peer = {
  name: 'istio',
  versions: ['v0.0.0-20260827124520-eed52ebb66ad'],
  tools: ['go'],
  inputs: ['tests/peers/istio/istiod.go', 'tests/peers/istio/peer.ts'],
  async prepare(dir, version) {
    copyFileSync(suiteFile('istio', 'istiod.go'), path.join(dir, 'main.go'));
    writeFileSync(path.join(dir, 'go.mod'), `module peer\n\ngo 1.26.0\n\nrequire ${module_} ${version}\n`);
    const build = (output: string, source: string): Promise<void> =>
      runTool('go', ['build', '-ldflags=-s -w', '-o', output, source], dir, flags);
    await build('pilot-agent', `${module_}/pilot/cmd/pilot-agent`);
    await build('istiod', '.');
    const template = `$(go list -m -f '{{.Dir}}' ${module_})/tools/packaging/common/envoy_bootstrap.json`;
    await runTool('sh', ['-c', `cat "${template}" > envoy_bootstrap.json`], dir, flags);
  },
};

export interface Istiod {
  /** host:port of ADS without TLS, of ADS with TLS, of the debug pages, and of metrics. */
  readonly plain: string;
  readonly secure: string;
  readonly http: string;
  readonly monitoring: string;
  readonly rootCertFile: string;
  stop(): Promise<void>;
}

const meshConfig = `
trustDomain: cluster.local
rootNamespace: istio-system
ingressControllerMode: "OFF"
enablePrometheusMerge: false
`;

export async function startIstiod({ dir }: Prepared, config: ConfigDir, workDir: string): Promise<Istiod> {
  const meshConfigFile = path.join(workDir, 'mesh.yaml');
  const rootCertFile = path.join(workDir, 'root-cert.pem');
  writeFileSync(meshConfigFile, meshConfig);
  const child = startChild(path.join(dir, 'istiod'), [config.dir, meshConfigFile, rootCertFile], {
    // Filters of Istio's own build of Envoy are off, and debug types need no identity. The host is one of the names
    // in the certificate.
    env: {
      POD_NAMESPACE: 'istio-system',
      PILOT_ENABLE_METADATA_EXCHANGE: 'false',
      PILOT_ENABLE_ALPN_FILTER: 'false',
      ENABLE_DEBUG_ENDPOINT_AUTH: 'false',
      ISTIOD_CUSTOM_HOST: '127.0.0.1',
    },
    logFile: path.join(workDir, 'istiod.log'),
    cwd: workDir,
  });
  const [plain, secure, http, monitoring] = (await child.line('READY')).map((port) => `127.0.0.1:${port}`);
  if (plain === undefined || secure === undefined || http === undefined || monitoring === undefined)
    throw new Error('istiod: no ports');
  await waitUntil('istiod is ready', async () => (await fetch(`http://${http}/ready`)).ok, 60_000);
  return { plain, secure, http, monitoring, rootCertFile, stop: () => child.stop() };
}

export interface SidecarOptions {
  /** The name of the workload, as in "cart-1"; its app is "cart". */
  readonly name: string;
  readonly ip: string;
  readonly istiod: Istiod;
  /** host:port of ADS, of a tap before istiod's port without TLS. Absent: istiod's port with TLS. */
  readonly tap?: string;
  /** Path of the binary of Envoy. */
  readonly envoy: string;
  readonly workDir: string;
}

export interface Sidecar {
  readonly name: string;
  readonly nodeId: string;
  readonly adminTarget: string;
  stop(): Promise<void>;
}

/** pilot-agent, which starts the Envoy and stands between it and istiod. */
export async function startSidecar({ dir }: Prepared, options: SidecarOptions): Promise<Sidecar> {
  const { name, ip, istiod, tap, envoy } = options;
  const workDir = path.join(options.workDir, name);
  const secrets = path.join(workDir, 'var', 'run', 'secrets');
  mkdirSync(path.join(secrets, 'tokens'), { recursive: true });
  mkdirSync(path.join(secrets, 'istio'), { recursive: true });
  const app = name.replace(/-\d+$/, '');
  writeFileSync(path.join(secrets, 'tokens', 'istio-token'), `shop:${app}`);
  writeFileSync(path.join(secrets, 'istio', 'root-cert.pem'), readFileSync(istiod.rootCertFile));
  const adminPort = await freePort();
  const proxyConfig = {
    ...{ binaryPath: envoy, configPath: path.join(workDir, 'etc'), concurrency: 1 },
    ...{ proxyAdminPort: adminPort, statusPort: await freePort() },
    discoveryAddress: tap ?? istiod.secure,
    ...(tap !== undefined && { controlPlaneAuthPolicy: 'NONE' }),
  };
  const template = path.join(dir, 'envoy_bootstrap.json');
  const child = startChild(
    path.join(dir, 'pilot-agent'),
    ['proxy', 'sidecar', '--domain', 'shop.svc.cluster.local', '--templateFile', template],
    {
      env: {
        PROXY_CONFIG: JSON.stringify(proxyConfig),
        ...{ INSTANCE_IP: ip, POD_NAME: name, POD_NAMESPACE: 'shop', SERVICE_ACCOUNT: app },
        ...{ ISTIO_META_CLUSTER_ID: 'Kubernetes', ISTIO_METAJSON_LABELS: JSON.stringify({ app }) },
        ...{ ISTIOD_SAN: 'istiod.istio-system.svc', CA_ADDR: istiod.secure },
        ...{ ENVOY_STATUS_PORT: String(await freePort()), ENVOY_PROMETHEUS_PORT: String(await freePort()) },
      },
      logFile: path.join(workDir, 'agent.log'),
      cwd: workDir,
      isGroup: true,
    },
  );
  const adminTarget = `127.0.0.1:${adminPort}`;
  const readiness = async (): Promise<boolean> => {
    const ended = child.ended();
    if (ended !== undefined) throw new Error(`pilot-agent ended: ${ended}, see ${workDir}/agent.log`);
    return (await (await fetch(`http://${adminTarget}/ready`)).text()).startsWith('LIVE');
  };
  await waitUntil(`the Envoy of ${name} is live`, readiness, 90_000);
  return {
    name,
    nodeId: `sidecar~${ip}~${name}.shop~shop.svc.cluster.local`,
    adminTarget,
    stop: () => child.stop(),
  };
}
