export interface Locality {
  readonly region: string;
  readonly zone: string;
  readonly subZone: string;
}
