/** Fills an empty database with modules, as publishing would have an hour ago. Gives their FQDNs in no order. */
export declare function seedEntries(databaseUrl: string, count: number): Promise<string[]>
