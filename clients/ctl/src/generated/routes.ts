/** Written by `npm run regenerate -w @phonerack/generated-client` from the schemas of the routes. */
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Routes: {
            "GET /hosts": {
                /** @enum {unknown} */
                query: "all";
                answer: {
                    data: {
                        id: string;
                        name: string;
                        country: string;
                        labels?: {
                            [key: string]: string;
                        };
                        /** @enum {string} */
                        state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                        address: string | null;
                        version: string | null;
                        protocol_version: number | null;
                        report_fault: string | null;
                        problem?: string | null;
                        refuses?: string | null;
                        degraded?: string | null;
                        degraded_until?: string | null;
                        last_seen_at: string | null;
                        devices: number;
                        running: number;
                        retired_at?: string | null;
                        certificate_expires_at?: string;
                        authority_rotation?: {
                            /** @enum {string} */
                            phase: "begun" | "switched";
                            /** @enum {string} */
                            trust: "unreported" | "earlier" | "both" | "renewed";
                            is_ready: boolean;
                        } | null;
                        drained_at: string | null;
                        drain_until: string | null;
                    }[];
                };
            };
            "POST /hosts/join-tokens": {
                answer: {
                    token: string;
                    expires_at: string;
                };
            };
            "PATCH /hosts/:ref": {
                body: {
                    name?: string;
                    country?: string;
                    labels?: {
                        [key: string]: string | null;
                    };
                };
                answer: {
                    id: string;
                    name: string;
                    country: string;
                    labels?: {
                        [key: string]: string;
                    };
                    /** @enum {string} */
                    state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    address: string | null;
                    version: string | null;
                    protocol_version: number | null;
                    report_fault: string | null;
                    problem?: string | null;
                    refuses?: string | null;
                    degraded?: string | null;
                    degraded_until?: string | null;
                    last_seen_at: string | null;
                    devices: number;
                    running: number;
                    retired_at?: string | null;
                    certificate_expires_at?: string;
                    authority_rotation?: {
                        /** @enum {string} */
                        phase: "begun" | "switched";
                        /** @enum {string} */
                        trust: "unreported" | "earlier" | "both" | "renewed";
                        is_ready: boolean;
                    } | null;
                    drained_at: string | null;
                    drain_until: string | null;
                };
            };
            "POST /hosts/:ref/rejoin": {
                answer: {
                    token: string;
                    expires_at: string;
                    host_id: string;
                };
            };
            "POST /hosts/:ref/retire": {
                body: {
                    force?: boolean;
                };
                answer: {
                    id: string;
                    name: string;
                    country: string;
                    labels?: {
                        [key: string]: string;
                    };
                    /** @enum {string} */
                    state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    address: string | null;
                    version: string | null;
                    protocol_version: number | null;
                    report_fault: string | null;
                    problem?: string | null;
                    refuses?: string | null;
                    degraded?: string | null;
                    degraded_until?: string | null;
                    last_seen_at: string | null;
                    devices: number;
                    running: number;
                    retired_at?: string | null;
                    certificate_expires_at?: string;
                    authority_rotation?: {
                        /** @enum {string} */
                        phase: "begun" | "switched";
                        /** @enum {string} */
                        trust: "unreported" | "earlier" | "both" | "renewed";
                        is_ready: boolean;
                    } | null;
                    drained_at: string | null;
                    drain_until: string | null;
                    phones: number;
                };
            };
            "DELETE /hosts/:ref": {
                answer: {
                    id: string;
                };
            };
            "DELETE /devices/:ref": {
                answer: {
                    id: string;
                };
            };
            "GET /devices": {
                answer: {
                    data: {
                        id: string;
                        host_id: string;
                        host_name: string;
                        /** @enum {string} */
                        host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                        serial: string;
                        maker: string | null;
                        model: string | null;
                        sdk: number | null;
                        /** @enum {string} */
                        state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                        reason: string | null;
                        next_step: {
                            first: string | null;
                            commands: {
                                does: string;
                                words: string[];
                            }[];
                        } | null;
                        report_fault: string | null;
                        phone_id: string | null;
                        fencing_number: number;
                        clean_for: string | null;
                        link: string;
                        drained_at: string | null;
                        drain_until: string | null;
                        moving_since: string | null;
                        claimed_since: string | null;
                        has_identity: boolean;
                        maintenance: {
                            since: string;
                            note: string;
                        } | null;
                        last_proof_at: string | null;
                        capabilities: {
                            name: string;
                            implementation: string | null;
                            evidence: string | null;
                        }[];
                        wipe_checks: {
                            name: string;
                            passed: boolean;
                            evidence: string | null;
                        }[];
                        events: {
                            at: string;
                            step: string;
                            outcome: string;
                            reason: string;
                        }[];
                        condition: {
                            checked_at: string;
                            battery_percent: number | null;
                            battery_celsius: number | null;
                            storage_free_bytes: number | null;
                            storage_total_bytes: number | null;
                            highest_app_uid: number | null;
                            lock_credential: boolean | null;
                            warnings: string[];
                        } | null;
                    }[];
                };
            };
            "GET /devices/:ref": {
                answer: {
                    id: string;
                    host_id: string;
                    host_name: string;
                    /** @enum {string} */
                    host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    serial: string;
                    maker: string | null;
                    model: string | null;
                    sdk: number | null;
                    /** @enum {string} */
                    state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                    reason: string | null;
                    next_step: {
                        first: string | null;
                        commands: {
                            does: string;
                            words: string[];
                        }[];
                    } | null;
                    report_fault: string | null;
                    phone_id: string | null;
                    fencing_number: number;
                    clean_for: string | null;
                    link: string;
                    drained_at: string | null;
                    drain_until: string | null;
                    moving_since: string | null;
                    claimed_since: string | null;
                    has_identity: boolean;
                    maintenance: {
                        since: string;
                        note: string;
                    } | null;
                    last_proof_at: string | null;
                    capabilities: {
                        name: string;
                        implementation: string | null;
                        evidence: string | null;
                    }[];
                    wipe_checks: {
                        name: string;
                        passed: boolean;
                        evidence: string | null;
                    }[];
                    events: {
                        at: string;
                        step: string;
                        outcome: string;
                        reason: string;
                    }[];
                    condition: {
                        checked_at: string;
                        battery_percent: number | null;
                        battery_celsius: number | null;
                        storage_free_bytes: number | null;
                        storage_total_bytes: number | null;
                        highest_app_uid: number | null;
                        lock_credential: boolean | null;
                        warnings: string[];
                    } | null;
                };
            };
            "POST /devices/:ref/enroll": {
                body: {
                    erase?: boolean;
                    fail_phone?: string | null;
                };
                answer: {
                    id: string;
                    host_id: string;
                    host_name: string;
                    /** @enum {string} */
                    host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    serial: string;
                    maker: string | null;
                    model: string | null;
                    sdk: number | null;
                    /** @enum {string} */
                    state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                    reason: string | null;
                    next_step: {
                        first: string | null;
                        commands: {
                            does: string;
                            words: string[];
                        }[];
                    } | null;
                    report_fault: string | null;
                    phone_id: string | null;
                    fencing_number: number;
                    clean_for: string | null;
                    link: string;
                    drained_at: string | null;
                    drain_until: string | null;
                    moving_since: string | null;
                    claimed_since: string | null;
                    has_identity: boolean;
                    maintenance: {
                        since: string;
                        note: string;
                    } | null;
                    last_proof_at: string | null;
                    capabilities: {
                        name: string;
                        implementation: string | null;
                        evidence: string | null;
                    }[];
                    wipe_checks: {
                        name: string;
                        passed: boolean;
                        evidence: string | null;
                    }[];
                    events: {
                        at: string;
                        step: string;
                        outcome: string;
                        reason: string;
                    }[];
                    condition: {
                        checked_at: string;
                        battery_percent: number | null;
                        battery_celsius: number | null;
                        storage_free_bytes: number | null;
                        storage_total_bytes: number | null;
                        highest_app_uid: number | null;
                        lock_credential: boolean | null;
                        warnings: string[];
                    } | null;
                };
            };
            "POST /devices/:ref/release": {
                body: {
                    keep?: boolean;
                };
                answer: {
                    id: string;
                    host_id: string;
                    host_name: string;
                    /** @enum {string} */
                    host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    serial: string;
                    maker: string | null;
                    model: string | null;
                    sdk: number | null;
                    /** @enum {string} */
                    state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                    reason: string | null;
                    next_step: {
                        first: string | null;
                        commands: {
                            does: string;
                            words: string[];
                        }[];
                    } | null;
                    report_fault: string | null;
                    phone_id: string | null;
                    fencing_number: number;
                    clean_for: string | null;
                    link: string;
                    drained_at: string | null;
                    drain_until: string | null;
                    moving_since: string | null;
                    claimed_since: string | null;
                    has_identity: boolean;
                    maintenance: {
                        since: string;
                        note: string;
                    } | null;
                    last_proof_at: string | null;
                    capabilities: {
                        name: string;
                        implementation: string | null;
                        evidence: string | null;
                    }[];
                    wipe_checks: {
                        name: string;
                        passed: boolean;
                        evidence: string | null;
                    }[];
                    events: {
                        at: string;
                        step: string;
                        outcome: string;
                        reason: string;
                    }[];
                    condition: {
                        checked_at: string;
                        battery_percent: number | null;
                        battery_celsius: number | null;
                        storage_free_bytes: number | null;
                        storage_total_bytes: number | null;
                        highest_app_uid: number | null;
                        lock_credential: boolean | null;
                        warnings: string[];
                    } | null;
                };
            };
            "GET /phones": {
                /** @enum {unknown} */
                query: "project" | "limit" | "before" | "status" | "stopped_for";
                answer: {
                    data: {
                        id: string;
                        name: string;
                        project_id: string;
                        project_name: string;
                        /** @enum {string} */
                        status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                        on_idle: string;
                        country: string | null;
                        created_at: string;
                        last_active_at: string | null;
                        stopped_at: string | null;
                        deletes_at: string | null;
                        device_id: string | null;
                        serial: string | null;
                        host_id: string | null;
                        host_name: string | null;
                        failure_code: string | null;
                        failure_message: string | null;
                    }[];
                    next_before: string | null;
                };
            };
            "GET /phones/:id": {
                answer: {
                    id: string;
                    name: string;
                    project_id: string;
                    project_name: string;
                    /** @enum {string} */
                    status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                    on_idle: string;
                    country: string | null;
                    created_at: string;
                    last_active_at: string | null;
                    stopped_at: string | null;
                    deletes_at: string | null;
                    device_id: string | null;
                    serial: string | null;
                    host_id: string | null;
                    host_name: string | null;
                    failure_code: string | null;
                    failure_message: string | null;
                };
            };
            "DELETE /phones/:id": {
                body: {
                    reason: string;
                };
                answer: {
                    id: string;
                    name: string;
                    project_id: string;
                    project_name: string;
                    /** @enum {string} */
                    status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                    on_idle: string;
                    country: string | null;
                    created_at: string;
                    last_active_at: string | null;
                    stopped_at: string | null;
                    deletes_at: string | null;
                    device_id: string | null;
                    serial: string | null;
                    host_id: string | null;
                    host_name: string | null;
                    failure_code: string | null;
                    failure_message: string | null;
                };
            };
            "POST /devices/:ref/move": {
                body: {
                    host: string;
                    serial?: string;
                    /** @default false */
                    unproven?: boolean;
                };
                answer: {
                    id: string;
                    host_id: string;
                    host_name: string;
                    /** @enum {string} */
                    host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    serial: string;
                    maker: string | null;
                    model: string | null;
                    sdk: number | null;
                    /** @enum {string} */
                    state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                    reason: string | null;
                    next_step: {
                        first: string | null;
                        commands: {
                            does: string;
                            words: string[];
                        }[];
                    } | null;
                    report_fault: string | null;
                    phone_id: string | null;
                    fencing_number: number;
                    clean_for: string | null;
                    link: string;
                    drained_at: string | null;
                    drain_until: string | null;
                    moving_since: string | null;
                    claimed_since: string | null;
                    has_identity: boolean;
                    maintenance: {
                        since: string;
                        note: string;
                    } | null;
                    last_proof_at: string | null;
                    capabilities: {
                        name: string;
                        implementation: string | null;
                        evidence: string | null;
                    }[];
                    wipe_checks: {
                        name: string;
                        passed: boolean;
                        evidence: string | null;
                    }[];
                    events: {
                        at: string;
                        step: string;
                        outcome: string;
                        reason: string;
                    }[];
                    condition: {
                        checked_at: string;
                        battery_percent: number | null;
                        battery_celsius: number | null;
                        storage_free_bytes: number | null;
                        storage_total_bytes: number | null;
                        highest_app_uid: number | null;
                        lock_credential: boolean | null;
                        warnings: string[];
                    } | null;
                };
            };
            "POST /hosts/:ref/drain": {
                body: {
                    /** @default 1800 */
                    deadline_seconds?: number;
                };
                answer: {
                    id: string;
                    name: string;
                    country: string;
                    labels?: {
                        [key: string]: string;
                    };
                    /** @enum {string} */
                    state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    address: string | null;
                    version: string | null;
                    protocol_version: number | null;
                    report_fault: string | null;
                    problem?: string | null;
                    refuses?: string | null;
                    degraded?: string | null;
                    degraded_until?: string | null;
                    last_seen_at: string | null;
                    devices: number;
                    running: number;
                    retired_at?: string | null;
                    certificate_expires_at?: string;
                    authority_rotation?: {
                        /** @enum {string} */
                        phase: "begun" | "switched";
                        /** @enum {string} */
                        trust: "unreported" | "earlier" | "both" | "renewed";
                        is_ready: boolean;
                    } | null;
                    drained_at: string | null;
                    drain_until: string | null;
                };
            };
            "POST /hosts/:ref/undrain": {
                answer: {
                    id: string;
                    name: string;
                    country: string;
                    labels?: {
                        [key: string]: string;
                    };
                    /** @enum {string} */
                    state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    address: string | null;
                    version: string | null;
                    protocol_version: number | null;
                    report_fault: string | null;
                    problem?: string | null;
                    refuses?: string | null;
                    degraded?: string | null;
                    degraded_until?: string | null;
                    last_seen_at: string | null;
                    devices: number;
                    running: number;
                    retired_at?: string | null;
                    certificate_expires_at?: string;
                    authority_rotation?: {
                        /** @enum {string} */
                        phase: "begun" | "switched";
                        /** @enum {string} */
                        trust: "unreported" | "earlier" | "both" | "renewed";
                        is_ready: boolean;
                    } | null;
                    drained_at: string | null;
                    drain_until: string | null;
                };
            };
            "POST /devices/:ref/drain": {
                body: {
                    /** @default 1800 */
                    deadline_seconds?: number;
                };
                answer: {
                    id: string;
                    host_id: string;
                    host_name: string;
                    /** @enum {string} */
                    host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    serial: string;
                    maker: string | null;
                    model: string | null;
                    sdk: number | null;
                    /** @enum {string} */
                    state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                    reason: string | null;
                    next_step: {
                        first: string | null;
                        commands: {
                            does: string;
                            words: string[];
                        }[];
                    } | null;
                    report_fault: string | null;
                    phone_id: string | null;
                    fencing_number: number;
                    clean_for: string | null;
                    link: string;
                    drained_at: string | null;
                    drain_until: string | null;
                    moving_since: string | null;
                    claimed_since: string | null;
                    has_identity: boolean;
                    maintenance: {
                        since: string;
                        note: string;
                    } | null;
                    last_proof_at: string | null;
                    capabilities: {
                        name: string;
                        implementation: string | null;
                        evidence: string | null;
                    }[];
                    wipe_checks: {
                        name: string;
                        passed: boolean;
                        evidence: string | null;
                    }[];
                    events: {
                        at: string;
                        step: string;
                        outcome: string;
                        reason: string;
                    }[];
                    condition: {
                        checked_at: string;
                        battery_percent: number | null;
                        battery_celsius: number | null;
                        storage_free_bytes: number | null;
                        storage_total_bytes: number | null;
                        highest_app_uid: number | null;
                        lock_credential: boolean | null;
                        warnings: string[];
                    } | null;
                };
            };
            "POST /devices/:ref/undrain": {
                answer: {
                    id: string;
                    host_id: string;
                    host_name: string;
                    /** @enum {string} */
                    host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    serial: string;
                    maker: string | null;
                    model: string | null;
                    sdk: number | null;
                    /** @enum {string} */
                    state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                    reason: string | null;
                    next_step: {
                        first: string | null;
                        commands: {
                            does: string;
                            words: string[];
                        }[];
                    } | null;
                    report_fault: string | null;
                    phone_id: string | null;
                    fencing_number: number;
                    clean_for: string | null;
                    link: string;
                    drained_at: string | null;
                    drain_until: string | null;
                    moving_since: string | null;
                    claimed_since: string | null;
                    has_identity: boolean;
                    maintenance: {
                        since: string;
                        note: string;
                    } | null;
                    last_proof_at: string | null;
                    capabilities: {
                        name: string;
                        implementation: string | null;
                        evidence: string | null;
                    }[];
                    wipe_checks: {
                        name: string;
                        passed: boolean;
                        evidence: string | null;
                    }[];
                    events: {
                        at: string;
                        step: string;
                        outcome: string;
                        reason: string;
                    }[];
                    condition: {
                        checked_at: string;
                        battery_percent: number | null;
                        battery_celsius: number | null;
                        storage_free_bytes: number | null;
                        storage_total_bytes: number | null;
                        highest_app_uid: number | null;
                        lock_credential: boolean | null;
                        warnings: string[];
                    } | null;
                };
            };
            "POST /devices/:ref/maintenance": {
                body: {
                    note: string;
                };
                answer: {
                    id: string;
                    host_id: string;
                    host_name: string;
                    /** @enum {string} */
                    host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    serial: string;
                    maker: string | null;
                    model: string | null;
                    sdk: number | null;
                    /** @enum {string} */
                    state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                    reason: string | null;
                    next_step: {
                        first: string | null;
                        commands: {
                            does: string;
                            words: string[];
                        }[];
                    } | null;
                    report_fault: string | null;
                    phone_id: string | null;
                    fencing_number: number;
                    clean_for: string | null;
                    link: string;
                    drained_at: string | null;
                    drain_until: string | null;
                    moving_since: string | null;
                    claimed_since: string | null;
                    has_identity: boolean;
                    maintenance: {
                        since: string;
                        note: string;
                    } | null;
                    last_proof_at: string | null;
                    capabilities: {
                        name: string;
                        implementation: string | null;
                        evidence: string | null;
                    }[];
                    wipe_checks: {
                        name: string;
                        passed: boolean;
                        evidence: string | null;
                    }[];
                    events: {
                        at: string;
                        step: string;
                        outcome: string;
                        reason: string;
                    }[];
                    condition: {
                        checked_at: string;
                        battery_percent: number | null;
                        battery_celsius: number | null;
                        storage_free_bytes: number | null;
                        storage_total_bytes: number | null;
                        highest_app_uid: number | null;
                        lock_credential: boolean | null;
                        warnings: string[];
                    } | null;
                };
            };
            "DELETE /devices/:ref/maintenance": {
                answer: {
                    id: string;
                    host_id: string;
                    host_name: string;
                    /** @enum {string} */
                    host_state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                    serial: string;
                    maker: string | null;
                    model: string | null;
                    sdk: number | null;
                    /** @enum {string} */
                    state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                    reason: string | null;
                    next_step: {
                        first: string | null;
                        commands: {
                            does: string;
                            words: string[];
                        }[];
                    } | null;
                    report_fault: string | null;
                    phone_id: string | null;
                    fencing_number: number;
                    clean_for: string | null;
                    link: string;
                    drained_at: string | null;
                    drain_until: string | null;
                    moving_since: string | null;
                    claimed_since: string | null;
                    has_identity: boolean;
                    maintenance: {
                        since: string;
                        note: string;
                    } | null;
                    last_proof_at: string | null;
                    capabilities: {
                        name: string;
                        implementation: string | null;
                        evidence: string | null;
                    }[];
                    wipe_checks: {
                        name: string;
                        passed: boolean;
                        evidence: string | null;
                    }[];
                    events: {
                        at: string;
                        step: string;
                        outcome: string;
                        reason: string;
                    }[];
                    condition: {
                        checked_at: string;
                        battery_percent: number | null;
                        battery_celsius: number | null;
                        storage_free_bytes: number | null;
                        storage_total_bytes: number | null;
                        highest_app_uid: number | null;
                        lock_credential: boolean | null;
                        warnings: string[];
                    } | null;
                };
            };
            "GET /projects": {
                answer: {
                    data: {
                        id: string;
                        name: string;
                        owner_id: string;
                        balance_usd: string;
                        reserved_usd: string;
                        spend_limit_usd: string;
                        max_phones: number;
                        max_running: number;
                        parked_limit?: number | null;
                        frozen_at: string | null;
                        shell?: boolean;
                        steps: boolean;
                        steps_text: boolean;
                        steps_pictures: string;
                        steps_max_bytes: number;
                    }[];
                };
            };
            "POST /projects": {
                body: {
                    name: string;
                    owner?: string;
                    credit_usd?: string;
                };
                answer: {
                    id: string;
                    name: string;
                    owner_id: string;
                    balance_usd: string;
                    reserved_usd: string;
                    spend_limit_usd: string;
                    max_phones: number;
                    max_running: number;
                    parked_limit?: number | null;
                    frozen_at: string | null;
                    shell?: boolean;
                    steps: boolean;
                    steps_text: boolean;
                    steps_pictures: string;
                    steps_max_bytes: number;
                };
            };
            "GET /projects/:id": {
                answer: {
                    id: string;
                    name: string;
                    owner_id: string;
                    balance_usd: string;
                    reserved_usd: string;
                    spend_limit_usd: string;
                    max_phones: number;
                    max_running: number;
                    parked_limit?: number | null;
                    frozen_at: string | null;
                    shell?: boolean;
                    steps: boolean;
                    steps_text: boolean;
                    steps_pictures: string;
                    steps_max_bytes: number;
                };
            };
            "PATCH /projects/:id": {
                body: {
                    credit_usd?: string;
                    spend_limit_usd?: string;
                    max_phones?: number;
                    max_running?: number;
                    parked_limit?: number | null;
                    frozen?: boolean;
                    shell?: boolean;
                    steps?: boolean;
                    steps_text?: boolean;
                    /** @enum {string} */
                    steps_pictures?: "off" | "asked" | "every";
                    steps_max_bytes?: number;
                };
                answer: {
                    id: string;
                    name: string;
                    owner_id: string;
                    balance_usd: string;
                    reserved_usd: string;
                    spend_limit_usd: string;
                    max_phones: number;
                    max_running: number;
                    parked_limit?: number | null;
                    frozen_at: string | null;
                    shell?: boolean;
                    steps: boolean;
                    steps_text: boolean;
                    steps_pictures: string;
                    steps_max_bytes: number;
                };
            };
            "GET /keys": {
                /** @enum {unknown} */
                query: "project";
                answer: {
                    data: {
                        id: string;
                        name: string;
                        prefix: string | null;
                        /** @enum {string} */
                        preset: "agent" | "admin" | "read-only";
                        /** @enum {string} */
                        profile: "full" | "guarded" | "read-only";
                        project: string;
                        phones: string[];
                        created_at: string;
                        expires_at: string | null;
                        revoked_at: string | null;
                        last_used_at: string | null;
                        last_used_address: string | null;
                        connector: {
                            client_id: string;
                            client_name: string;
                            host: string;
                        } | null;
                    }[];
                };
            };
            "POST /keys": {
                body: {
                    project: string;
                    /**
                     * @default agent
                     * @enum {string}
                     */
                    preset?: "agent" | "admin" | "read-only";
                    /** @enum {string} */
                    profile?: "full" | "guarded" | "read-only";
                    phones?: string[];
                    /**
                     * @default 90d
                     * @enum {string}
                     */
                    expires?: "30d" | "90d" | "1y" | "never";
                    name?: string;
                };
                answer: {
                    id: string;
                    key: string;
                    name: string;
                    preset: string;
                    profile: string;
                    project: string;
                    expires_at: string | null;
                };
            };
            "DELETE /keys/:id": {
                answer: {
                    id: string;
                    revoked_at: string;
                };
            };
            "GET /activity": {
                /** @enum {unknown} */
                query: "project" | "limit" | "before";
                answer: {
                    data: {
                        id: string;
                        at: string;
                        key_id: string;
                        request_id: string;
                        method: string;
                        route: string;
                        phone_id: string | null;
                        status: number;
                        code: string | null;
                        ms: number;
                        summary: {
                            [key: string]: unknown;
                        };
                    }[];
                    next_before: string | null;
                };
            };
            "GET /service": {
                answer: {
                    epoch: string;
                    epoch_changed_at: string;
                    devices_to_confirm: number;
                    paused_at: string | null;
                };
            };
            "POST /service/pause": {
                answer: {
                    paused_at: string | null;
                };
            };
            "POST /service/resume": {
                answer: {
                    paused_at: string | null;
                };
            };
            "POST /service/restored": {
                answer: {
                    epoch: string;
                    epoch_changed_at: string;
                    devices_to_confirm: number;
                };
            };
            "GET /operator-tokens": {
                answer: {
                    data: {
                        id: string;
                        name: string;
                        created_by: string | null;
                        created_at: string;
                        expires_at: string | null;
                        last_used_at: string | null;
                        revoked_at: string | null;
                    }[];
                };
            };
            "POST /operator-tokens": {
                body: {
                    name: string;
                    /**
                     * @default 90d
                     * @enum {string}
                     */
                    expires?: "30d" | "90d" | "1y" | "never";
                };
                answer: {
                    id: string;
                    name: string;
                    created_by: string | null;
                    created_at: string;
                    expires_at: string | null;
                    last_used_at: string | null;
                    revoked_at: string | null;
                    token: string;
                };
            };
            "DELETE /operator-tokens/:id": {
                answer: {
                    id: string;
                    name: string;
                    created_by: string | null;
                    created_at: string;
                    expires_at: string | null;
                    last_used_at: string | null;
                    revoked_at: string | null;
                    created_tokens: {
                        id: string;
                        name: string;
                    }[];
                };
            };
            "GET /audit": {
                /** @enum {unknown} */
                query: "limit" | "before";
                answer: {
                    data: {
                        id: string;
                        at: string;
                        token_id: string;
                        token_name: string;
                        address: string;
                        request_id: string;
                        action: string;
                        target: string | null;
                        before: {
                            [key: string]: unknown;
                        } | null;
                        after: {
                            [key: string]: unknown;
                        } | null;
                    }[];
                    next_before: string | null;
                };
            };
            "POST /library/files": {
                answer: {
                    file: string;
                };
            };
            "GET /library/apps": {
                answer: {
                    data: {
                        package: string;
                        label: string;
                        version_code: number;
                        version_name: string;
                        splits: string[];
                        size_bytes: number;
                        added_at: string;
                    }[];
                };
            };
            "POST /library/apps": {
                body: {
                    files: string[];
                };
                answer: {
                    package: string;
                    label: string;
                    version_code: number;
                    version_name: string;
                    splits: string[];
                    size_bytes: number;
                    added_at: string;
                };
            };
            "DELETE /library/apps/:package": {
                answer: {
                    package: string;
                    removed: boolean;
                };
            };
            "GET /payments/unmatched": {
                answer: {
                    data: {
                        id: string;
                        kind: string;
                        reference: string | null;
                        payment_intent: string | null;
                        cents: number;
                        currency: string;
                        reason: string;
                        told_at: string;
                    }[];
                };
            };
            "POST /setups/approve": {
                body: {
                    user_code: string;
                    project?: string;
                };
                answer: {
                    client: string | null;
                    address: string;
                    created_at: string;
                    expires_at: string;
                    url: string;
                    project: string;
                    project_name: string;
                };
            };
            "POST /setups/deny": {
                body: {
                    user_code: string;
                };
                answer: {
                    client: string | null;
                    address: string;
                    created_at: string;
                    expires_at: string;
                };
            };
            "GET /console": {
                answer: {
                    url: string;
                    has_operator: boolean;
                };
            };
            "POST /invitations": {
                answer: {
                    id: string;
                    url: string;
                    expires_at: string;
                };
            };
            "GET /invitations": {
                answer: {
                    data: {
                        id: string;
                        /** @enum {string} */
                        role: "operator" | "reset";
                        email: string | null;
                        created_by: string;
                        created_at: string;
                        expires_at: string;
                    }[];
                };
            };
            "DELETE /invitations/:id": {
                answer: {
                    id: string;
                };
            };
            "POST /resets": {
                body: {
                    /** Format: email */
                    email: string;
                };
                answer: {
                    id: string;
                    url: string;
                    expires_at: string;
                };
            };
            "GET /users": {
                answer: {
                    data: {
                        id: string;
                        name: string;
                        email: string;
                        is_operator: boolean;
                        created_at: string;
                        projects: {
                            project: string;
                            role: string;
                        }[];
                    }[];
                };
            };
            "DELETE /users/:id": Record<string, never>;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

export type Routes = components['schemas']['Routes']
/** A method and a path, such as `GET /devices/:ref`. */
export type Route = keyof Routes

type InPath<P extends string> = P extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Record<Name, string> & InPath<`/${Tail}`>
    : Record<Rest, string>
  : unknown
type InQuery<R extends Route> = Routes[R] extends { query: infer Name extends string }
  ? Partial<Record<Name, string | number | boolean | null | undefined>>
  : unknown
/** The values for the path and the query. Null and undefined leave a parameter of the query out. */
export type Fields<R extends Route> = InPath<R> & InQuery<R>
export type Body<R extends Route> = Routes[R] extends { body: infer B } ? B : never
/** Empty for a route without a body; optional for a body without required fields. */
export type BodyOf<R extends Route> = Routes[R] extends { body: infer B } ? (object extends B ? [body?: B] : [body: B]) : []
export type Answer<R extends Route> = Routes[R] extends { answer: infer A } ? A : unknown

/** The path and the query of a request. */
export function addressOf<R extends Route>(route: R, fields: Fields<R>): string {
  const rest = new Map(Object.entries(fields as Record<string, unknown>).filter(([, value]) => value != null))
  const path = route.slice(route.indexOf(' ') + 1).replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams(Object.fromEntries([...rest].map(([name, value]) => [name, String(value)]))).toString()
  return query === '' ? path : `${path}?${query}`
}
