/** The shareable state; the page keeps it in the URL. */
export interface TopologyPanelState {
  readonly selected: string | null;
  /** A search text; see parseFind. */
  readonly find: string;
  /** The index of the match that is drawn first, if not all are drawn; absent: all matches are. */
  readonly match?: number;
  /** Search texts whose matches are hidden; absent: nothing can be hidden. */
  readonly hide?: string[];
  readonly expand: string[];
  /** Shows the table instead of the graph. */
  readonly table: boolean;
  readonly legend: boolean;
  /** Listener of the highlighted config; empty: none. */
  readonly mark: string;
}
