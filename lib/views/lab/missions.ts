/** A screen, in which the element to look at is selected. `client` is a node id of the lab; null: the page is of the fleet. */
interface MissionScreen {
  readonly client: string | null;
  /** The path and the query after the client's address, or the whole of it. */
  readonly path: string;
  readonly label: string;
}

export interface Hint {
  readonly text: string;
  readonly screen: MissionScreen;
  /** CSS selector of the part of the screen that the text is about. */
  readonly target: string;
}

/** An exercise on the lab: a question, and hints that lead to its answer one screen after another. */
export interface Mission {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  /** The fault of the lab that it needs; null: none. */
  readonly fault: string | null;
  readonly hints: readonly Hint[];
  readonly answer: string;
}

const fleet = (path: string, label: string): MissionScreen => ({ client: null, path, label });
const of = (client: string, path: string, label: string): MissionScreen => ({ client, path, label });

export const missions: readonly Mission[] = [
  {
    id: 'nack',
    title: 'Find the NACK and its field',
    task: 'A client rejects a cluster. Which field of the payload does it reject, and which config is in effect instead?',
    fault: 'unsupported-policy',
    hints: [
      {
        text: 'The Overview lists what is broken. The card of the NACK names the resource, the client and the field.',
        screen: fleet('/', 'Issues on the Overview'),
        target: 'article[aria-label^="Cluster recommendations"]',
      },
      {
        text: 'The page of the NACK marks the rejected line in the payload that was sent.',
        screen: fleet('/nacks?q=state%3Dopen', 'Open NACKs'),
        target: '#main [data-row-id]',
      },
      {
        text: 'The inspector of the cluster shows the answer beside what is in effect.',
        screen: of('shop-web', '/resources?resource=CDS%3Arecommendations', 'recommendations at shop-web'),
        target: '[aria-label="Inspector"]',
      },
    ],
    answer:
      'lb_policy of cluster recommendations is RANDOM, which gRPC does not support. The payload that the client accepted before stays in effect, so that no RPC fails.',
  },
  {
    id: 'failover',
    title: 'Predict the failover, then stop the zone',
    task: 'Two of the three endpoints of catalog-stable in P0 are in eu-west1-a. Where do the requests of shop-web go if that zone stops?',
    fault: null,
    hints: [
      {
        text: 'Set the condition of the zone to “dead” in the simulator, and show the Envoy rules beside those of gRPC.',
        screen: of('shop-web', '/failover?cluster=catalog-stable&both=true', 'Failover of catalog-stable'),
        target: '[aria-label="What if"]',
      },
      {
        text: 'Stop the backends of the zone in the lab, below Endpoints.',
        screen: fleet('/lab', 'Endpoints of the lab'),
        target: '#endpoints',
      },
      {
        text: 'The failover history states what happened, from EDS and from load reports.',
        screen: of('shop-web', '/failover?cluster=catalog-stable', 'Failover history'),
        target: '[aria-label="Failover history"]',
      },
    ],
    answer:
      'gRPC stays at P0 as long as one endpoint is connected (gRFC A56). Envoy divides by health: 33% healthy times the overprovisioning factor of 1.4 is 46% to P0, and the rest goes to P1.',
  },
  {
    id: 'outage',
    title: 'Rank an outage above a NACK',
    task: 'A listener was deleted. Which client is affected, and since when do its RPCs fail?',
    fault: 'missing-listener',
    hints: [
      {
        text: 'Issues are ordered by what they do to RPCs, not by the status that reports them.',
        screen: fleet('/', 'Issues on the Overview'),
        target: 'article[aria-label^="Listener mobile.shop.example"]',
      },
      {
        text: 'The effective config states what the client makes of the missing listener.',
        screen: of('shop-mobile', '/resolved', 'Effective config of shop-mobile'),
        target: '[aria-label="Verdict"]',
      },
    ],
    answer:
      'Every RPC of shop-mobile to mobile.shop.example fails since the response without the listener: for a listener, absence from a response of the state of the world is a deletion.',
  },
  {
    id: 'holders',
    title: 'Find who holds a cluster',
    task: 'Which clients hold the cluster payment-v1, and do all of them have the same content?',
    fault: null,
    hints: [
      {
        text: 'Press “/” on any page and type the name.',
        screen: fleet('/search?q=payment-v1', 'Search for payment-v1'),
        target: '#main a[href*="payment-v1"]',
      },
      {
        text: 'The page of the resource lists each client with its version and its content.',
        screen: fleet('/search?resource=CDS%3Apayment-v1', 'Who holds payment-v1'),
        target: '[aria-label="Clients that have the resource"]',
      },
    ],
    answer:
      'Equal digits in the column Content mean equal content, whatever the version is called. Probes of xdscope are listed, and are not counted as clients.',
  },
  {
    id: 'push',
    title: 'See a rejected push that healed',
    task: 'The endpoints of cart begin at priority 1. Which clients rejected that push, and what did they accept later?',
    fault: 'priority-gap',
    hints: [
      {
        text: 'A NACKED push stays red after its clients accepted a later one.',
        screen: fleet('/pushes', 'Pushes'),
        target: '[aria-label^="Newest pushes,"]',
      },
      {
        text: 'The page of the resource lists the answer of each client to its newest push.',
        screen: fleet('/pushes?type=EDS&resource=cart', 'Newest push of EDS cart'),
        target: '[aria-label^="Clients: "]',
      },
    ],
    answer:
      'gRPC rejects an assignment without priority 0. After the fault is reverted the clients accept the next push; the rejected one keeps its state.',
  },
  {
    id: 'divergence',
    title: 'Find what one transport lacks',
    task: 'The management server sends one assignment differently over state of the world and over delta. Which one, and what is missing?',
    fault: 'stale-delta',
    hints: [
      {
        text: 'Two probes of xdscope subscribe to the same resources, one over each transport. A difference that lasts is an issue.',
        screen: fleet('/', 'Issues on the Overview'),
        target: 'article[aria-label*="sotw-delta-divergence"]',
      },
      {
        text: 'Propagation compares each resource at both probes, at the control plane and at the client.',
        screen: of('shop-web', '/propagation?propagation=differs', 'Differences of shop-web'),
        target: '[aria-label="Propagation of each resource"]',
      },
    ],
    answer:
      'Delta streams receive one locality fewer of catalog-stable, so that a client runs other config with delta than with state of the world.',
  },
  {
    id: 'load',
    title: 'Compare expected with measured load',
    task: 'The config of shop-web implies a split of its requests over localities. Do its load reports agree with it?',
    fault: null,
    hints: [
      {
        text: 'The load of a client is what it reports by LRS, by cluster and locality.',
        screen: of('shop-web', '/load', 'Load of shop-web'),
        target: '#main section table',
      },
      {
        text: '“Expected vs. actual” draws the expected share as a line over the measured one, with the range of chance.',
        screen: of('shop-web', '/load?load=split', 'Expected vs. actual'),
        target: '[aria-label^="Expected vs. actual"]',
      },
    ],
    answer:
      'Only a difference beyond random variation is marked. A split that follows a changed config is compared with that config.',
  },
];

/** A hint in the URL of its screen, as in "nack.1". */
export function formatHintKey({ id }: Mission, index: number): string {
  return `${id}.${index}`;
}

export function findHint(
  key: string,
): { readonly mission: Mission; readonly hint: Hint; readonly index: number } | undefined {
  const mission = missions.find(({ id }) => key.startsWith(`${id}.`));
  const index = Number(key.slice((mission?.id.length ?? 0) + 1));
  const hint = mission?.hints[index];
  return mission === undefined || hint === undefined ? undefined : { mission, hint, index };
}
