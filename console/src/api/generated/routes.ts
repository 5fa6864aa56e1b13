/** Written by `npm run regenerate -w @phonerack/generated-client` from the schemas of the routes. */
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Routes: {
            "GET /session": {
                answer: {
                    csrf_token: string;
                    user: {
                        id: string;
                        name: string;
                        email: string;
                        is_operator: boolean;
                    } | null;
                    projects: {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        role: "viewer" | "member" | "owner";
                    }[];
                    passkey_origins: string[];
                    has_mail: boolean;
                    can_sign_up: boolean;
                    providers: {
                        id: string;
                        name: string;
                    }[];
                    console_url: string;
                    has_operator_pages: boolean;
                    operator_console_url: string | null;
                    base_url: string;
                };
            };
            "POST /auth/sign-in/email": {
                body: {
                    email: string;
                    password: string;
                };
            };
            "GET /auth/passkey/generate-authenticate-options": Record<string, never>;
            "GET /auth/passkey/generate-register-options": Record<string, never>;
            "POST /auth/sign-out": {
                body: Record<string, never>;
            };
            "POST /auth/passkey/verify-authentication": {
                body: {
                    response: {
                        id: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            "POST /auth/passkey/verify-registration": {
                body: {
                    response: {
                        id: string;
                    } & {
                        [key: string]: unknown;
                    };
                    name?: string;
                };
            };
            "POST /auth/providers/:provider": {
                body: Record<string, never>;
                answer: {
                    url: string;
                };
            };
            "POST /auth/providers/:provider/callback": {
                body: {
                    code: string;
                    state: string;
                    iss?: string;
                    invitation?: string;
                    replaces?: boolean;
                };
                answer: {
                    is_link: boolean;
                    is_new: boolean;
                };
            };
            "GET /me/accounts": {
                answer: {
                    data: {
                        id: string;
                        name: string;
                        is_usable: boolean;
                        created_at: string;
                    }[];
                    has_password: boolean;
                };
            };
            "POST /me/accounts/:provider": {
                body: Record<string, never>;
                answer: {
                    url: string;
                };
            };
            "DELETE /me/accounts/:account": Record<string, never>;
            "POST /sign-ups": {
                body: {
                    /** Format: email */
                    email: string;
                };
            };
            "POST /me/password": {
                body: {
                    password: string;
                };
            };
            "POST /resets": {
                body: {
                    /** Format: email */
                    email: string;
                };
            };
            "POST /resets/accept": {
                body: {
                    token: string;
                    password: string;
                };
            };
            "POST /invitations/look": {
                body: {
                    token: string;
                };
                answer: {
                    /** @enum {string} */
                    role: "viewer" | "member" | "owner" | "operator" | "reset" | "sign_up";
                    email: string | null;
                    project: {
                        id: string;
                        name: string;
                    } | null;
                };
            };
            "POST /invitations/passkey": {
                body: {
                    token: string;
                    user: {
                        name: string;
                        /** Format: email */
                        email: string;
                    };
                };
                answer: {
                    handle: string;
                    options: unknown;
                };
            };
            "POST /invitations/accept": {
                body: {
                    token: string;
                    user?: {
                        name: string;
                        /** Format: email */
                        email: string;
                        password?: string;
                        passkey?: {
                            handle: string;
                            response: {
                                id: string;
                            } & {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
            };
            "POST /projects/:project/invitations": {
                body: {
                    /** Format: email */
                    email: string;
                    /** @enum {string} */
                    role: "viewer" | "member" | "owner";
                };
                answer: {
                    /** @enum {string} */
                    role: "viewer" | "member" | "owner" | "operator" | "reset" | "sign_up";
                    email: string | null;
                    id: string;
                    created_at: string;
                    expires_at: string;
                    url: string | null;
                    is_mailed: boolean;
                };
            };
            "DELETE /projects/:project/invitations/:invitation": Record<string, never>;
            "GET /projects/:project/members": {
                answer: {
                    data: {
                        user_id: string;
                        name: string;
                        email: string;
                        /** @enum {string} */
                        role: "viewer" | "member" | "owner";
                        since: string;
                    }[];
                    invitations: {
                        /** @enum {string} */
                        role: "viewer" | "member" | "owner";
                        email: string | null;
                        id: string;
                        created_at: string;
                        expires_at: string;
                    }[];
                };
            };
            "PATCH /projects/:project/members/:user": {
                body: {
                    /** @enum {string} */
                    role: "viewer" | "member" | "owner";
                };
            };
            "DELETE /projects/:project/members/:user": Record<string, never>;
            "GET /me/sessions": {
                answer: {
                    data: {
                        id: string;
                        is_current: boolean;
                        address: string | null;
                        user_agent: string | null;
                        signed_in_at: string;
                        expires_at: string;
                    }[];
                };
            };
            "DELETE /me/sessions/:session": Record<string, never>;
            "GET /me/passkeys": {
                answer: {
                    data: {
                        id: string;
                        name: string | null;
                        created_at: string | null;
                    }[];
                };
            };
            "DELETE /me/passkeys/:passkey": Record<string, never>;
            "POST /projects": {
                body: {
                    name: string;
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
            "GET /projects/:project": {
                answer: {
                    balance_usd: string;
                    reserved_usd: string;
                    spend_limit_usd: string;
                    spent_this_month_usd: string;
                    limits: {
                        phones: number;
                        running: number;
                    };
                    running: number;
                    phones: number;
                    price: {
                        per_minute_usd: string;
                        minimum_seconds: number;
                    };
                    countries: {
                        code: string;
                        name: string;
                    }[];
                    id: string;
                    name: string;
                    /** @enum {string} */
                    role: "viewer" | "member" | "owner";
                    available_usd: string;
                    outlook: {
                        /** @enum {string} */
                        state: "ok" | "low" | "empty";
                        per_day_usd: string;
                        lasts_seconds: number | null;
                    };
                    purchase: {
                        min_usd: number;
                        max_usd: number;
                        default_usd: number;
                    } | null;
                };
            };
            "GET /projects/:project/keys": {
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
            "POST /projects/:project/keys": {
                body: {
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
                    name: string;
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
            "DELETE /projects/:project/keys/:key": Record<string, never>;
            "GET /projects/:project/phones": {
                /** @enum {unknown} */
                query: "status" | "cursor" | "key" | "metadata" | "search";
                answer: {
                    data: {
                        id: string;
                        /** @constant */
                        object: "phone";
                        name: string;
                        /** @enum {string} */
                        status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                        country: string | null;
                        /** @enum {string} */
                        on_idle: "park" | "delete";
                        metadata: {
                            [key: string]: string;
                        };
                        created_at: string;
                        last_active_at: string | null;
                        session: {
                            id: string;
                            started_at: string;
                            ready_at: string | null;
                            idle_timeout: number;
                            max_duration: number;
                            parks_at: string;
                            /** @enum {string} */
                            park_reason: "idle" | "max_duration";
                            reserved_usd: string;
                        } | null;
                        failure: {
                            code: string;
                            message: string;
                            at: string;
                        } | null;
                    }[];
                    next_cursor: string | null;
                };
            };
            "POST /projects/:project/phones": {
                body: {
                    name?: string;
                    country?: string;
                };
                answer: {
                    id: string;
                    /** @constant */
                    object: "phone";
                    name: string;
                    /** @enum {string} */
                    status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                    country: string | null;
                    /** @enum {string} */
                    on_idle: "park" | "delete";
                    metadata: {
                        [key: string]: string;
                    };
                    created_at: string;
                    last_active_at: string | null;
                    session: {
                        id: string;
                        started_at: string;
                        ready_at: string | null;
                        idle_timeout: number;
                        max_duration: number;
                        parks_at: string;
                        /** @enum {string} */
                        park_reason: "idle" | "max_duration";
                        reserved_usd: string;
                    } | null;
                    failure: {
                        code: string;
                        message: string;
                        at: string;
                    } | null;
                };
            };
            "POST /projects/:project/phones/:phone/start": {
                answer: {
                    id: string;
                    /** @constant */
                    object: "phone";
                    name: string;
                    /** @enum {string} */
                    status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                    country: string | null;
                    /** @enum {string} */
                    on_idle: "park" | "delete";
                    metadata: {
                        [key: string]: string;
                    };
                    created_at: string;
                    last_active_at: string | null;
                    session: {
                        id: string;
                        started_at: string;
                        ready_at: string | null;
                        idle_timeout: number;
                        max_duration: number;
                        parks_at: string;
                        /** @enum {string} */
                        park_reason: "idle" | "max_duration";
                        reserved_usd: string;
                    } | null;
                    failure: {
                        code: string;
                        message: string;
                        at: string;
                    } | null;
                };
            };
            "POST /projects/:project/phones/:phone/park": {
                answer: {
                    id: string;
                    /** @constant */
                    object: "phone";
                    name: string;
                    /** @enum {string} */
                    status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                    country: string | null;
                    /** @enum {string} */
                    on_idle: "park" | "delete";
                    metadata: {
                        [key: string]: string;
                    };
                    created_at: string;
                    last_active_at: string | null;
                    session: {
                        id: string;
                        started_at: string;
                        ready_at: string | null;
                        idle_timeout: number;
                        max_duration: number;
                        parks_at: string;
                        /** @enum {string} */
                        park_reason: "idle" | "max_duration";
                        reserved_usd: string;
                    } | null;
                    failure: {
                        code: string;
                        message: string;
                        at: string;
                    } | null;
                };
            };
            "DELETE /projects/:project/phones/:phone": {
                answer: {
                    id: string;
                    /** @constant */
                    object: "phone";
                    name: string;
                    /** @enum {string} */
                    status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                    country: string | null;
                    /** @enum {string} */
                    on_idle: "park" | "delete";
                    metadata: {
                        [key: string]: string;
                    };
                    created_at: string;
                    last_active_at: string | null;
                    session: {
                        id: string;
                        started_at: string;
                        ready_at: string | null;
                        idle_timeout: number;
                        max_duration: number;
                        parks_at: string;
                        /** @enum {string} */
                        park_reason: "idle" | "max_duration";
                        reserved_usd: string;
                    } | null;
                    failure: {
                        code: string;
                        message: string;
                        at: string;
                    } | null;
                };
            };
            "GET /phones": {
                /** @enum {unknown} */
                query: "status" | "project" | "cursor";
                answer: {
                    data: {
                        id: string;
                        /** @constant */
                        object: "phone";
                        name: string;
                        /** @enum {string} */
                        status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                        country: string | null;
                        /** @enum {string} */
                        on_idle: "park" | "delete";
                        metadata: {
                            [key: string]: string;
                        };
                        created_at: string;
                        last_active_at: string | null;
                        session: {
                            id: string;
                            started_at: string;
                            ready_at: string | null;
                            idle_timeout: number;
                            max_duration: number;
                            parks_at: string;
                            /** @enum {string} */
                            park_reason: "idle" | "max_duration";
                            reserved_usd: string;
                        } | null;
                        failure: {
                            code: string;
                            message: string;
                            at: string;
                        } | null;
                        project_id: string;
                    }[];
                    next_cursor: string | null;
                    projects: {
                        id: string;
                        name: string;
                        /** @enum {string} */
                        role: "viewer" | "member" | "owner";
                    }[];
                };
            };
            "GET /projects/:project/phones/:phone": {
                answer: {
                    id: string;
                    /** @constant */
                    object: "phone";
                    name: string;
                    /** @enum {string} */
                    status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                    country: string | null;
                    /** @enum {string} */
                    on_idle: "park" | "delete";
                    metadata: {
                        [key: string]: string;
                    };
                    created_at: string;
                    last_active_at: string | null;
                    session: {
                        id: string;
                        started_at: string;
                        ready_at: string | null;
                        idle_timeout: number;
                        max_duration: number;
                        parks_at: string;
                        /** @enum {string} */
                        park_reason: "idle" | "max_duration";
                        reserved_usd: string;
                    } | null;
                    failure: {
                        code: string;
                        message: string;
                        at: string;
                    } | null;
                };
            };
            "POST /projects/:project/phones/:phone/live": {
                answer: {
                    url: string;
                    expires_at: string;
                    control: boolean;
                };
            };
            "GET /projects/:project/phones/:phone/sessions": {
                /** @enum {unknown} */
                query: "cursor";
                answer: {
                    data: {
                        id: string;
                        started_at: string;
                        ready_at: string | null;
                        ended_at: string | null;
                        end_reason: ("parked" | "idle" | "max_duration" | "deleted" | "failed" | "unavailable" | "project_frozen" | "service_paused") | null;
                        billed_seconds: number | null;
                        cost_usd: string | null;
                        reserved_usd: string;
                    }[];
                    next_cursor: string | null;
                };
            };
            "GET /projects/:project/phones/:phone/steps": {
                /** @enum {unknown} */
                query: "cursor";
                answer: {
                    data: {
                        /** @constant */
                        object: "step";
                        id: string;
                        phone: string;
                        session: string;
                        request_id: string;
                        /** @enum {string} */
                        status: "running" | "succeeded" | "failed" | "stopped" | "unknown";
                        started_at: string;
                        ended_at: string | null;
                        duration_ms: number | null;
                        by: {
                            /** @enum {string} */
                            via: "api" | "mcp" | "live";
                            client: string | null;
                            key_id: string;
                            key_name: string | null;
                        };
                        observe: ("none" | "ui" | "screenshot" | "both" | "text" | "changes" | "auto") | null;
                        actions: ({
                            type: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        results: {
                            index: number;
                            type: string;
                            ok: boolean;
                            ms: number;
                            resolved?: {
                                center: [
                                    number,
                                    number
                                ];
                                ref?: number;
                                /** @constant */
                                covered?: true;
                                /** @constant */
                                disabled?: true;
                            };
                            matched?: string;
                            moved?: boolean;
                            at_end?: boolean | null;
                            activity?: string;
                            app?: {
                                package: string;
                                activity: string | null;
                            };
                            changed?: boolean | null;
                            repeated?: number;
                            next?: string;
                            stdout?: string;
                            stderr?: string;
                            exit_code?: number | null;
                            timed_out?: boolean;
                            truncated?: boolean;
                            duration_ms?: number;
                            error?: {
                                /** @enum {string} */
                                code: "validation_failed" | "invalid_request" | "invalid_api_key" | "key_expired" | "key_revoked" | "unauthorized" | "insufficient_credits" | "spend_limit_reached" | "project_frozen" | "insufficient_scope" | "phone_not_allowed" | "browser_requests_not_allowed" | "shell_not_allowed" | "setup_denied" | "not_found" | "phone_not_found" | "file_not_found" | "app_not_found" | "upload_not_found" | "recording_not_found" | "handoff_not_found" | "webhook_not_found" | "event_not_found" | "notification_not_found" | "step_not_found" | "method_not_allowed" | "phone_not_running" | "phone_starting" | "phone_parking" | "phone_deleted" | "phone_failed" | "idempotency_conflict" | "install_in_progress" | "version_downgrade" | "upload_not_ready" | "storage_limit_reached" | "clipboard_unavailable" | "recording_in_progress" | "recording_not_ready" | "recording_limit_reached" | "duplicate_upload" | "setup_expired" | "setup_used" | "key_limit" | "running_limit_reached" | "phone_limit_reached" | "webhook_limit_reached" | "phone_controlled" | "handoff_in_progress" | "handoff_required" | "payload_too_large" | "range_not_satisfiable" | "target_not_found" | "ambiguous_target" | "stale_snapshot" | "no_focused_field" | "wait_timeout" | "phone_screen_off" | "app_not_available" | "invalid_apk" | "install_failed" | "feature_unavailable" | "rate_limited" | "internal_error" | "provider_error" | "action_outcome_unknown" | "capacity_unavailable" | "phone_unavailable" | "service_paused" | "service_unavailable" | "storage_full" | "billing_not_configured" | "provider_timeout" | "upload_failed" | "platform_not_configured";
                                message: string;
                                retryable: boolean;
                                next: string | null;
                                details: {
                                    [key: string]: unknown;
                                };
                            };
                        }[];
                        completed: number;
                        error: {
                            code: string;
                            message: string;
                        } | null;
                        text_kept: boolean;
                        before: ({
                            snapshot_id: string;
                            /** Format: date-time */
                            taken_at: string;
                            settled?: boolean | null;
                            app: {
                                package: string;
                                activity: string | null;
                            };
                            keyboard: {
                                visible: boolean;
                                focused_editable: boolean;
                            };
                            screen: {
                                width: number;
                                height: number;
                                /** @constant */
                                on?: false;
                            };
                            elements: {
                                ref: number;
                                type: string;
                                text: string | null;
                                desc: string | null;
                                id: string | null;
                                bounds: [
                                    number,
                                    number,
                                    number,
                                    number
                                ];
                                center: [
                                    number,
                                    number
                                ];
                                state: string[];
                            }[];
                            truncated: boolean;
                            text: string;
                            screenshot?: {
                                /** @enum {string} */
                                format: "jpeg" | "png";
                                width: number;
                                height: number;
                                scale: number;
                                data: string;
                                /** @constant */
                                secure?: true;
                            };
                        } | {
                            snapshot_id: string;
                            /** Format: date-time */
                            taken_at: string;
                            settled?: boolean | null;
                            app: {
                                package: string;
                                activity: string | null;
                            };
                            keyboard: {
                                visible: boolean;
                                focused_editable: boolean;
                            };
                            screen: {
                                width: number;
                                height: number;
                                /** @constant */
                                on?: false;
                            };
                            truncated: boolean;
                            text: string;
                        }) | null;
                        after: ({
                            snapshot_id: string;
                            /** Format: date-time */
                            taken_at: string;
                            settled?: boolean | null;
                            app: {
                                package: string;
                                activity: string | null;
                            };
                            keyboard: {
                                visible: boolean;
                                focused_editable: boolean;
                            };
                            screen: {
                                width: number;
                                height: number;
                                /** @constant */
                                on?: false;
                            };
                            elements: {
                                ref: number;
                                type: string;
                                text: string | null;
                                desc: string | null;
                                id: string | null;
                                bounds: [
                                    number,
                                    number,
                                    number,
                                    number
                                ];
                                center: [
                                    number,
                                    number
                                ];
                                state: string[];
                            }[];
                            truncated: boolean;
                            text: string;
                            screenshot?: {
                                /** @enum {string} */
                                format: "jpeg" | "png";
                                width: number;
                                height: number;
                                scale: number;
                                data: string;
                                /** @constant */
                                secure?: true;
                            };
                        } | {
                            snapshot_id: string;
                            /** Format: date-time */
                            taken_at: string;
                            settled?: boolean | null;
                            app: {
                                package: string;
                                activity: string | null;
                            };
                            keyboard: {
                                visible: boolean;
                                focused_editable: boolean;
                            };
                            screen: {
                                width: number;
                                height: number;
                                /** @constant */
                                on?: false;
                            };
                            truncated: boolean;
                            text: string;
                        }) | null;
                        picture: {
                            /** @enum {string} */
                            format: "jpeg" | "png";
                            width: number;
                            height: number;
                            scale: number;
                            size_bytes: number;
                        } | null;
                        expires_at: string;
                    }[];
                    next_cursor: string | null;
                };
            };
            "GET /projects/:project/phones/:phone/steps/:step": {
                answer: {
                    /** @constant */
                    object: "step";
                    id: string;
                    phone: string;
                    session: string;
                    request_id: string;
                    /** @enum {string} */
                    status: "running" | "succeeded" | "failed" | "stopped" | "unknown";
                    started_at: string;
                    ended_at: string | null;
                    duration_ms: number | null;
                    by: {
                        /** @enum {string} */
                        via: "api" | "mcp" | "live";
                        client: string | null;
                        key_id: string;
                        key_name: string | null;
                    };
                    observe: ("none" | "ui" | "screenshot" | "both" | "text" | "changes" | "auto") | null;
                    actions: ({
                        type: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                    results: {
                        index: number;
                        type: string;
                        ok: boolean;
                        ms: number;
                        resolved?: {
                            center: [
                                number,
                                number
                            ];
                            ref?: number;
                            /** @constant */
                            covered?: true;
                            /** @constant */
                            disabled?: true;
                        };
                        matched?: string;
                        moved?: boolean;
                        at_end?: boolean | null;
                        activity?: string;
                        app?: {
                            package: string;
                            activity: string | null;
                        };
                        changed?: boolean | null;
                        repeated?: number;
                        next?: string;
                        stdout?: string;
                        stderr?: string;
                        exit_code?: number | null;
                        timed_out?: boolean;
                        truncated?: boolean;
                        duration_ms?: number;
                        error?: {
                            /** @enum {string} */
                            code: "validation_failed" | "invalid_request" | "invalid_api_key" | "key_expired" | "key_revoked" | "unauthorized" | "insufficient_credits" | "spend_limit_reached" | "project_frozen" | "insufficient_scope" | "phone_not_allowed" | "browser_requests_not_allowed" | "shell_not_allowed" | "setup_denied" | "not_found" | "phone_not_found" | "file_not_found" | "app_not_found" | "upload_not_found" | "recording_not_found" | "handoff_not_found" | "webhook_not_found" | "event_not_found" | "notification_not_found" | "step_not_found" | "method_not_allowed" | "phone_not_running" | "phone_starting" | "phone_parking" | "phone_deleted" | "phone_failed" | "idempotency_conflict" | "install_in_progress" | "version_downgrade" | "upload_not_ready" | "storage_limit_reached" | "clipboard_unavailable" | "recording_in_progress" | "recording_not_ready" | "recording_limit_reached" | "duplicate_upload" | "setup_expired" | "setup_used" | "key_limit" | "running_limit_reached" | "phone_limit_reached" | "webhook_limit_reached" | "phone_controlled" | "handoff_in_progress" | "handoff_required" | "payload_too_large" | "range_not_satisfiable" | "target_not_found" | "ambiguous_target" | "stale_snapshot" | "no_focused_field" | "wait_timeout" | "phone_screen_off" | "app_not_available" | "invalid_apk" | "install_failed" | "feature_unavailable" | "rate_limited" | "internal_error" | "provider_error" | "action_outcome_unknown" | "capacity_unavailable" | "phone_unavailable" | "service_paused" | "service_unavailable" | "storage_full" | "billing_not_configured" | "provider_timeout" | "upload_failed" | "platform_not_configured";
                            message: string;
                            retryable: boolean;
                            next: string | null;
                            details: {
                                [key: string]: unknown;
                            };
                        };
                    }[];
                    completed: number;
                    error: {
                        code: string;
                        message: string;
                    } | null;
                    text_kept: boolean;
                    before: ({
                        snapshot_id: string;
                        /** Format: date-time */
                        taken_at: string;
                        settled?: boolean | null;
                        app: {
                            package: string;
                            activity: string | null;
                        };
                        keyboard: {
                            visible: boolean;
                            focused_editable: boolean;
                        };
                        screen: {
                            width: number;
                            height: number;
                            /** @constant */
                            on?: false;
                        };
                        elements: {
                            ref: number;
                            type: string;
                            text: string | null;
                            desc: string | null;
                            id: string | null;
                            bounds: [
                                number,
                                number,
                                number,
                                number
                            ];
                            center: [
                                number,
                                number
                            ];
                            state: string[];
                        }[];
                        truncated: boolean;
                        text: string;
                        screenshot?: {
                            /** @enum {string} */
                            format: "jpeg" | "png";
                            width: number;
                            height: number;
                            scale: number;
                            data: string;
                            /** @constant */
                            secure?: true;
                        };
                    } | {
                        snapshot_id: string;
                        /** Format: date-time */
                        taken_at: string;
                        settled?: boolean | null;
                        app: {
                            package: string;
                            activity: string | null;
                        };
                        keyboard: {
                            visible: boolean;
                            focused_editable: boolean;
                        };
                        screen: {
                            width: number;
                            height: number;
                            /** @constant */
                            on?: false;
                        };
                        truncated: boolean;
                        text: string;
                    }) | null;
                    after: ({
                        snapshot_id: string;
                        /** Format: date-time */
                        taken_at: string;
                        settled?: boolean | null;
                        app: {
                            package: string;
                            activity: string | null;
                        };
                        keyboard: {
                            visible: boolean;
                            focused_editable: boolean;
                        };
                        screen: {
                            width: number;
                            height: number;
                            /** @constant */
                            on?: false;
                        };
                        elements: {
                            ref: number;
                            type: string;
                            text: string | null;
                            desc: string | null;
                            id: string | null;
                            bounds: [
                                number,
                                number,
                                number,
                                number
                            ];
                            center: [
                                number,
                                number
                            ];
                            state: string[];
                        }[];
                        truncated: boolean;
                        text: string;
                        screenshot?: {
                            /** @enum {string} */
                            format: "jpeg" | "png";
                            width: number;
                            height: number;
                            scale: number;
                            data: string;
                            /** @constant */
                            secure?: true;
                        };
                    } | {
                        snapshot_id: string;
                        /** Format: date-time */
                        taken_at: string;
                        settled?: boolean | null;
                        app: {
                            package: string;
                            activity: string | null;
                        };
                        keyboard: {
                            visible: boolean;
                            focused_editable: boolean;
                        };
                        screen: {
                            width: number;
                            height: number;
                            /** @constant */
                            on?: false;
                        };
                        truncated: boolean;
                        text: string;
                    }) | null;
                    picture: {
                        /** @enum {string} */
                        format: "jpeg" | "png";
                        width: number;
                        height: number;
                        scale: number;
                        size_bytes: number;
                    } | null;
                    expires_at: string;
                };
            };
            "GET /projects/:project/phones/:phone/steps/:step/picture": Record<string, never>;
            "GET /projects/:project/phones/:phone/control": {
                answer: {
                    control: {
                        id: string;
                        /** @enum {string} */
                        status: "open" | "taken" | "done" | "declined" | "expired";
                        message: string | null;
                        by: string | null;
                        is_you: boolean;
                        expires_at: string;
                    } | null;
                };
            };
            "POST /projects/:project/phones/:phone/control": {
                answer: {
                    control: {
                        id: string;
                        /** @enum {string} */
                        status: "open" | "taken" | "done" | "declined" | "expired";
                        message: string | null;
                        by: string | null;
                        is_you: boolean;
                        expires_at: string;
                    } | null;
                };
            };
            "POST /projects/:project/phones/:phone/control/:handoff/end": {
                body: {
                    note: string;
                };
                answer: {
                    control: {
                        id: string;
                        /** @enum {string} */
                        status: "open" | "taken" | "done" | "declined" | "expired";
                        message: string | null;
                        by: string | null;
                        is_you: boolean;
                        expires_at: string;
                    } | null;
                };
            };
            "GET /handoffs": {
                /** @enum {unknown} */
                query: "project";
                answer: {
                    data: {
                        id: string;
                        /** @enum {string} */
                        status: "open" | "taken" | "done" | "declined" | "expired";
                        message: string | null;
                        by: string | null;
                        is_you: boolean;
                        expires_at: string;
                        phone: {
                            id: string;
                            name: string;
                        };
                        project_id: string;
                        created_at: string;
                    }[];
                };
            };
            "POST /projects/:project/uploads": {
                answer: {
                    /** @constant */
                    object: "upload";
                    id: string;
                    /** @enum {string} */
                    status: "awaiting_file" | "processing" | "ready" | "invalid_apk" | "too_large" | "storage_full" | "failed" | "duplicate" | "deleted";
                    package: string | null;
                    version_code: number | null;
                    version_name: string | null;
                    min_sdk: number | null;
                    size_bytes: number | null;
                    sha256: string | null;
                    created_at: string;
                    expires_at: string;
                    error: {
                        /** @enum {string} */
                        code: "validation_failed" | "invalid_request" | "invalid_api_key" | "key_expired" | "key_revoked" | "unauthorized" | "insufficient_credits" | "spend_limit_reached" | "project_frozen" | "insufficient_scope" | "phone_not_allowed" | "browser_requests_not_allowed" | "shell_not_allowed" | "setup_denied" | "not_found" | "phone_not_found" | "file_not_found" | "app_not_found" | "upload_not_found" | "recording_not_found" | "handoff_not_found" | "webhook_not_found" | "event_not_found" | "notification_not_found" | "step_not_found" | "method_not_allowed" | "phone_not_running" | "phone_starting" | "phone_parking" | "phone_deleted" | "phone_failed" | "idempotency_conflict" | "install_in_progress" | "version_downgrade" | "upload_not_ready" | "storage_limit_reached" | "clipboard_unavailable" | "recording_in_progress" | "recording_not_ready" | "recording_limit_reached" | "duplicate_upload" | "setup_expired" | "setup_used" | "key_limit" | "running_limit_reached" | "phone_limit_reached" | "webhook_limit_reached" | "phone_controlled" | "handoff_in_progress" | "handoff_required" | "payload_too_large" | "range_not_satisfiable" | "target_not_found" | "ambiguous_target" | "stale_snapshot" | "no_focused_field" | "wait_timeout" | "phone_screen_off" | "app_not_available" | "invalid_apk" | "install_failed" | "feature_unavailable" | "rate_limited" | "internal_error" | "provider_error" | "action_outcome_unknown" | "capacity_unavailable" | "phone_unavailable" | "service_paused" | "service_unavailable" | "storage_full" | "billing_not_configured" | "provider_timeout" | "upload_failed" | "platform_not_configured";
                        message: string;
                        next: string | null;
                    } | null;
                };
            };
            "GET /projects/:project/uploads/:upload": {
                answer: {
                    /** @constant */
                    object: "upload";
                    id: string;
                    /** @enum {string} */
                    status: "awaiting_file" | "processing" | "ready" | "invalid_apk" | "too_large" | "storage_full" | "failed" | "duplicate" | "deleted";
                    package: string | null;
                    version_code: number | null;
                    version_name: string | null;
                    min_sdk: number | null;
                    size_bytes: number | null;
                    sha256: string | null;
                    created_at: string;
                    expires_at: string;
                    error: {
                        /** @enum {string} */
                        code: "validation_failed" | "invalid_request" | "invalid_api_key" | "key_expired" | "key_revoked" | "unauthorized" | "insufficient_credits" | "spend_limit_reached" | "project_frozen" | "insufficient_scope" | "phone_not_allowed" | "browser_requests_not_allowed" | "shell_not_allowed" | "setup_denied" | "not_found" | "phone_not_found" | "file_not_found" | "app_not_found" | "upload_not_found" | "recording_not_found" | "handoff_not_found" | "webhook_not_found" | "event_not_found" | "notification_not_found" | "step_not_found" | "method_not_allowed" | "phone_not_running" | "phone_starting" | "phone_parking" | "phone_deleted" | "phone_failed" | "idempotency_conflict" | "install_in_progress" | "version_downgrade" | "upload_not_ready" | "storage_limit_reached" | "clipboard_unavailable" | "recording_in_progress" | "recording_not_ready" | "recording_limit_reached" | "duplicate_upload" | "setup_expired" | "setup_used" | "key_limit" | "running_limit_reached" | "phone_limit_reached" | "webhook_limit_reached" | "phone_controlled" | "handoff_in_progress" | "handoff_required" | "payload_too_large" | "range_not_satisfiable" | "target_not_found" | "ambiguous_target" | "stale_snapshot" | "no_focused_field" | "wait_timeout" | "phone_screen_off" | "app_not_available" | "invalid_apk" | "install_failed" | "feature_unavailable" | "rate_limited" | "internal_error" | "provider_error" | "action_outcome_unknown" | "capacity_unavailable" | "phone_unavailable" | "service_paused" | "service_unavailable" | "storage_full" | "billing_not_configured" | "provider_timeout" | "upload_failed" | "platform_not_configured";
                        message: string;
                        next: string | null;
                    } | null;
                };
            };
            "GET /projects/:project/phones/:phone/installs": {
                answer: {
                    data: {
                        package: string;
                        upload: string | null;
                        install: string | null;
                        /** @enum {string} */
                        status: "running" | "succeeded" | "failed";
                        error: ("validation_failed" | "invalid_request" | "invalid_api_key" | "key_expired" | "key_revoked" | "unauthorized" | "insufficient_credits" | "spend_limit_reached" | "project_frozen" | "insufficient_scope" | "phone_not_allowed" | "browser_requests_not_allowed" | "shell_not_allowed" | "setup_denied" | "not_found" | "phone_not_found" | "file_not_found" | "app_not_found" | "upload_not_found" | "recording_not_found" | "handoff_not_found" | "webhook_not_found" | "event_not_found" | "notification_not_found" | "step_not_found" | "method_not_allowed" | "phone_not_running" | "phone_starting" | "phone_parking" | "phone_deleted" | "phone_failed" | "idempotency_conflict" | "install_in_progress" | "version_downgrade" | "upload_not_ready" | "storage_limit_reached" | "clipboard_unavailable" | "recording_in_progress" | "recording_not_ready" | "recording_limit_reached" | "duplicate_upload" | "setup_expired" | "setup_used" | "key_limit" | "running_limit_reached" | "phone_limit_reached" | "webhook_limit_reached" | "phone_controlled" | "handoff_in_progress" | "handoff_required" | "payload_too_large" | "range_not_satisfiable" | "target_not_found" | "ambiguous_target" | "stale_snapshot" | "no_focused_field" | "wait_timeout" | "phone_screen_off" | "app_not_available" | "invalid_apk" | "install_failed" | "feature_unavailable" | "rate_limited" | "internal_error" | "provider_error" | "action_outcome_unknown" | "capacity_unavailable" | "phone_unavailable" | "service_paused" | "service_unavailable" | "storage_full" | "billing_not_configured" | "provider_timeout" | "upload_failed" | "platform_not_configured") | null;
                        next: string | null;
                        started_at: string | null;
                        updated_at: string | null;
                    }[];
                };
            };
            "POST /projects/:project/phones/:phone/installs": {
                body: {
                    upload: string;
                    /** @default false */
                    replace?: boolean;
                };
                answer: {
                    package: string;
                    upload: string | null;
                    install: string | null;
                    /** @enum {string} */
                    status: "running" | "succeeded" | "failed";
                    error: ("validation_failed" | "invalid_request" | "invalid_api_key" | "key_expired" | "key_revoked" | "unauthorized" | "insufficient_credits" | "spend_limit_reached" | "project_frozen" | "insufficient_scope" | "phone_not_allowed" | "browser_requests_not_allowed" | "shell_not_allowed" | "setup_denied" | "not_found" | "phone_not_found" | "file_not_found" | "app_not_found" | "upload_not_found" | "recording_not_found" | "handoff_not_found" | "webhook_not_found" | "event_not_found" | "notification_not_found" | "step_not_found" | "method_not_allowed" | "phone_not_running" | "phone_starting" | "phone_parking" | "phone_deleted" | "phone_failed" | "idempotency_conflict" | "install_in_progress" | "version_downgrade" | "upload_not_ready" | "storage_limit_reached" | "clipboard_unavailable" | "recording_in_progress" | "recording_not_ready" | "recording_limit_reached" | "duplicate_upload" | "setup_expired" | "setup_used" | "key_limit" | "running_limit_reached" | "phone_limit_reached" | "webhook_limit_reached" | "phone_controlled" | "handoff_in_progress" | "handoff_required" | "payload_too_large" | "range_not_satisfiable" | "target_not_found" | "ambiguous_target" | "stale_snapshot" | "no_focused_field" | "wait_timeout" | "phone_screen_off" | "app_not_available" | "invalid_apk" | "install_failed" | "feature_unavailable" | "rate_limited" | "internal_error" | "provider_error" | "action_outcome_unknown" | "capacity_unavailable" | "phone_unavailable" | "service_paused" | "service_unavailable" | "storage_full" | "billing_not_configured" | "provider_timeout" | "upload_failed" | "platform_not_configured") | null;
                    next: string | null;
                    started_at: string | null;
                    updated_at: string | null;
                };
            };
            "GET /projects/:project/phones/:phone/recordings": {
                answer: {
                    data: {
                        /** @constant */
                        object: "recording";
                        id: string;
                        phone: string;
                        name: string | null;
                        /** @enum {string} */
                        status: "recording" | "processing" | "ready" | "failed";
                        started_at: string;
                        ended_at: string | null;
                        duration_ms: number | null;
                        size_bytes: number | null;
                        expires_at: string;
                    }[];
                };
            };
            "POST /projects/:project/phones/:phone/recordings": {
                body: {
                    name?: string;
                };
                answer: {
                    /** @constant */
                    object: "recording";
                    id: string;
                    phone: string;
                    name: string | null;
                    /** @enum {string} */
                    status: "recording" | "processing" | "ready" | "failed";
                    started_at: string;
                    ended_at: string | null;
                    duration_ms: number | null;
                    size_bytes: number | null;
                    expires_at: string;
                };
            };
            "POST /projects/:project/phones/:phone/recordings/:recording/stop": {
                answer: {
                    /** @constant */
                    object: "recording";
                    id: string;
                    phone: string;
                    name: string | null;
                    /** @enum {string} */
                    status: "recording" | "processing" | "ready" | "failed";
                    started_at: string;
                    ended_at: string | null;
                    duration_ms: number | null;
                    size_bytes: number | null;
                    expires_at: string;
                };
            };
            "DELETE /projects/:project/phones/:phone/recordings/:recording": Record<string, never>;
            "GET /projects/:project/phones/:phone/recordings/:recording/video": Record<string, never>;
            "GET /projects/:project/phones/:phone/screen": {
                answer: {
                    snapshot_id: string;
                    /** Format: date-time */
                    taken_at: string;
                    settled?: boolean | null;
                    app: {
                        package: string;
                        activity: string | null;
                    };
                    keyboard: {
                        visible: boolean;
                        focused_editable: boolean;
                    };
                    screen: {
                        width: number;
                        height: number;
                        /** @constant */
                        on?: false;
                    };
                    elements: {
                        ref: number;
                        type: string;
                        text: string | null;
                        desc: string | null;
                        id: string | null;
                        bounds: [
                            number,
                            number,
                            number,
                            number
                        ];
                        center: [
                            number,
                            number
                        ];
                        state: string[];
                    }[];
                    truncated: boolean;
                    text: string;
                    screenshot?: {
                        /** @enum {string} */
                        format: "jpeg" | "png";
                        width: number;
                        height: number;
                        scale: number;
                        data: string;
                        /** @constant */
                        secure?: true;
                    };
                };
            };
            "GET /projects/:project/phones/:phone/clipboard": {
                answer: {
                    text: string;
                };
            };
            "PUT /projects/:project/phones/:phone/clipboard": {
                body: {
                    text: string;
                };
                answer: {
                    text: string;
                };
            };
            "GET /projects/:project/phones/:phone/location": {
                answer: {
                    lat: number;
                    lng: number;
                };
            };
            "PUT /projects/:project/phones/:phone/location": {
                body: {
                    lat: number;
                    lng: number;
                    /** @default true */
                    timezone_from_location?: boolean;
                };
                answer: {
                    lat: number;
                    lng: number;
                };
            };
            "DELETE /projects/:project/phones/:phone/location": {
                answer: {
                    lat: number;
                    lng: number;
                };
            };
            "GET /projects/:project/phones/:phone/logs": {
                /** @enum {unknown} */
                query: "level" | "cursor";
                answer: {
                    data: {
                        at: string | null;
                        level: string;
                        tag: string;
                        package: string | null;
                        message: string;
                    }[];
                    next_cursor: string | null;
                };
            };
            "GET /projects/:project/phones/:phone/thumbnail": Record<string, never>;
            "GET /projects/:project/phones/:phone/files": {
                /** @enum {unknown} */
                query: "path";
                answer: {
                    data: {
                        name: string;
                        /** @enum {string} */
                        type: "file" | "directory" | "other";
                        size: number;
                        modified_at: string | null;
                    }[];
                    path: string;
                };
            };
            "GET /projects/:project/phones/:phone/files/content": {
                /** @enum {unknown} */
                query: "path";
            };
            "PUT /projects/:project/phones/:phone/files": {
                /** @enum {unknown} */
                query: "path";
                answer: {
                    path: string;
                    size: number;
                };
            };
            "DELETE /projects/:project/phones/:phone/files": {
                /** @enum {unknown} */
                query: "path";
            };
            "GET /projects/:project/activity": {
                /** @enum {unknown} */
                query: "before" | "by" | "phone" | "refused";
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
                        text: string;
                    }[];
                    next_before: string | null;
                };
            };
            "GET /projects/:project/events": {
                /** @enum {unknown} */
                query: "type" | "phone" | "cursor";
                answer: {
                    data: {
                        id: string;
                        /** @constant */
                        object: "event";
                        /** @enum {string} */
                        type: "phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled";
                        created_at: string;
                        phone_id: string | null;
                        data: {
                            [key: string]: {
                                [key: string]: unknown;
                            };
                        };
                    }[];
                    next_cursor: string | null;
                    readonly types: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[];
                };
            };
            "GET /projects/:project/webhooks": {
                answer: {
                    data: {
                        /** @constant */
                        object: "webhook";
                        id: string;
                        url: string;
                        description: string | null;
                        events: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[] | null;
                        enabled: boolean;
                        failing_since: string | null;
                        earlier_secret_expires_at: string | null;
                        created_at: string;
                        switched_off: {
                            at: string;
                            is_after_failures: boolean;
                        } | null;
                        is_secret_readable: boolean;
                    }[];
                    most: number;
                    readonly types: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[];
                };
            };
            "POST /projects/:project/webhooks": {
                body: {
                    url: string;
                    events?: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[] | null;
                    description?: string | null;
                };
                answer: {
                    /** @constant */
                    object: "webhook";
                    id: string;
                    url: string;
                    description: string | null;
                    events: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[] | null;
                    enabled: boolean;
                    failing_since: string | null;
                    earlier_secret_expires_at: string | null;
                    created_at: string;
                    switched_off: {
                        at: string;
                        is_after_failures: boolean;
                    } | null;
                    is_secret_readable: boolean;
                    secret: string;
                };
            };
            "PATCH /projects/:project/webhooks/:webhook": {
                body: {
                    url?: string;
                    events?: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[] | null;
                    description?: string | null;
                };
                answer: {
                    /** @constant */
                    object: "webhook";
                    id: string;
                    url: string;
                    description: string | null;
                    events: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[] | null;
                    enabled: boolean;
                    failing_since: string | null;
                    earlier_secret_expires_at: string | null;
                    created_at: string;
                    switched_off: {
                        at: string;
                        is_after_failures: boolean;
                    } | null;
                    is_secret_readable: boolean;
                };
            };
            "PUT /projects/:project/webhooks/:webhook/enabled": {
                body: {
                    enabled: boolean;
                };
                answer: {
                    /** @constant */
                    object: "webhook";
                    id: string;
                    url: string;
                    description: string | null;
                    events: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[] | null;
                    enabled: boolean;
                    failing_since: string | null;
                    earlier_secret_expires_at: string | null;
                    created_at: string;
                    switched_off: {
                        at: string;
                        is_after_failures: boolean;
                    } | null;
                    is_secret_readable: boolean;
                };
            };
            "DELETE /projects/:project/webhooks/:webhook": Record<string, never>;
            "POST /projects/:project/webhooks/:webhook/rotate": {
                answer: {
                    /** @constant */
                    object: "webhook";
                    id: string;
                    url: string;
                    description: string | null;
                    events: ("phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled")[] | null;
                    enabled: boolean;
                    failing_since: string | null;
                    earlier_secret_expires_at: string | null;
                    created_at: string;
                    switched_off: {
                        at: string;
                        is_after_failures: boolean;
                    } | null;
                    is_secret_readable: boolean;
                    secret: string;
                };
            };
            "POST /projects/:project/webhooks/:webhook/test": {
                answer: {
                    /** @constant */
                    object: "delivery";
                    id: string;
                    webhook: string;
                    event: string;
                    /** @enum {string} */
                    type: "phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled" | "webhook.test";
                    /** @enum {string} */
                    status: "pending" | "succeeded" | "failed";
                    attempts: number;
                    created_at: string;
                    last_attempt_at: string | null;
                    next_attempt_at: string | null;
                    response: {
                        status: number;
                        body: string;
                    } | null;
                    duration_ms: number | null;
                    error: ("status" | "redirect" | "timeout" | "name_not_resolved" | "address_not_allowed" | "connection_refused" | "connection_failed" | "tls_failed" | "webhook_disabled" | "secret_unreadable") | null;
                };
            };
            "GET /projects/:project/webhooks/:webhook/deliveries": {
                /** @enum {unknown} */
                query: "cursor";
                answer: {
                    data: {
                        /** @constant */
                        object: "delivery";
                        id: string;
                        webhook: string;
                        event: string;
                        /** @enum {string} */
                        type: "phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled" | "webhook.test";
                        /** @enum {string} */
                        status: "pending" | "succeeded" | "failed";
                        attempts: number;
                        created_at: string;
                        last_attempt_at: string | null;
                        next_attempt_at: string | null;
                        response: {
                            status: number;
                            body: string;
                        } | null;
                        duration_ms: number | null;
                        error: ("status" | "redirect" | "timeout" | "name_not_resolved" | "address_not_allowed" | "connection_refused" | "connection_failed" | "tls_failed" | "webhook_disabled" | "secret_unreadable") | null;
                    }[];
                    next_cursor: string | null;
                };
            };
            "POST /projects/:project/webhooks/:webhook/deliveries/:delivery/retry": {
                answer: {
                    /** @constant */
                    object: "delivery";
                    id: string;
                    webhook: string;
                    event: string;
                    /** @enum {string} */
                    type: "phone.created" | "phone.ready" | "phone.parked" | "phone.failed" | "phone.unavailable" | "phone.expiring" | "phone.deleted" | "session.started" | "session.ended" | "balance.low" | "install.succeeded" | "install.failed" | "upload.ready" | "upload.failed" | "recording.ready" | "recording.failed" | "handoff.created" | "handoff.taken" | "handoff.done" | "handoff.declined" | "handoff.cancelled" | "handoff.expired" | "app.crashed" | "notification.posted" | "webhook.disabled" | "webhook.test";
                    /** @enum {string} */
                    status: "pending" | "succeeded" | "failed";
                    attempts: number;
                    created_at: string;
                    last_attempt_at: string | null;
                    next_attempt_at: string | null;
                    response: {
                        status: number;
                        body: string;
                    } | null;
                    duration_ms: number | null;
                    error: ("status" | "redirect" | "timeout" | "name_not_resolved" | "address_not_allowed" | "connection_refused" | "connection_failed" | "tls_failed" | "webhook_disabled" | "secret_unreadable") | null;
                };
            };
            "GET /projects/:project/changes": Record<string, never>;
            "GET /changes": Record<string, never>;
            "GET /projects/:project/usage": {
                answer: {
                    days: {
                        day: string;
                        cost_usd: string;
                        seconds: number;
                    }[];
                    phones: {
                        id: string;
                        name: string;
                        cost_usd: string;
                        seconds: number;
                    }[];
                    keys: {
                        id: string;
                        name: string;
                        cost_usd: string;
                        seconds: number;
                    }[];
                };
            };
            "GET /spending": {
                answer: {
                    days: {
                        day: string;
                        cost_usd: string;
                        seconds: number;
                    }[];
                    projects: {
                        id: string;
                        name: string;
                        cost_usd: string;
                        seconds: number;
                        /** @enum {string} */
                        role: "viewer" | "member" | "owner";
                        available_usd: string;
                    }[];
                };
            };
            "GET /projects/:project/ledger": {
                /** @enum {unknown} */
                query: "before";
                answer: {
                    data: {
                        id: string;
                        at: string;
                        kind: string;
                        amount_usd: string;
                        session_id: string | null;
                        checkout_id: string | null;
                        phone_id: string | null;
                        phone: string | null;
                    }[];
                    next_before: string | null;
                };
            };
            "GET /projects/:project/limits": {
                answer: {
                    running: {
                        used: number;
                        limit: number;
                    };
                    phones: {
                        used: number;
                        limit: number;
                    };
                    spent_this_month_usd: {
                        used: string;
                        limit: string;
                    };
                    recordings: {
                        used: number;
                        limit: number;
                    };
                    recording_bytes: {
                        used: number;
                        limit: number;
                    };
                    upload_bytes: {
                        used: number;
                        limit: number;
                    };
                    uploads_today: {
                        used: number;
                        limit: number;
                    };
                    keys: {
                        used: number;
                        limit: number;
                    };
                    webhooks: {
                        used: number;
                        limit: number;
                    };
                    steps_max_bytes: number | null;
                };
            };
            "POST /projects/:project/checkouts": {
                body: {
                    amount_usd: number;
                };
                answer: {
                    id: string;
                    url: string;
                };
            };
            "GET /projects/:project/checkouts/:checkout": {
                answer: {
                    id: string;
                    amount_usd: string;
                    created_at: string;
                    paid_at: string | null;
                    balance_usd: string;
                };
            };
            "GET /projects/:project/checkouts/:checkout/receipt": {
                answer: {
                    url: string;
                };
            };
            "POST /terminals/look": {
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
            "POST /terminals/deny": {
                body: {
                    user_code: string;
                };
            };
            "POST /projects/:project/terminals/allow": {
                body: {
                    user_code: string;
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
                };
            };
            "POST /connectors/look": {
                body: {
                    query: string;
                };
                answer: {
                    client: {
                        name: string;
                        id: string;
                        host: string | null;
                    };
                    redirect: {
                        host: string;
                        is_this_machine: boolean;
                    };
                    /** @enum {string} */
                    preset: "agent" | "admin" | "read-only";
                    readonly scopes: ("phones:read" | "phones:control" | "phones:create" | "phones:delete")[];
                };
            };
            "POST /connectors/deny": {
                body: {
                    query: string;
                };
                answer: {
                    redirect_to: string;
                };
            };
            "POST /projects/:project/connectors": {
                body: {
                    /**
                     * @default agent
                     * @enum {string}
                     */
                    preset?: "agent" | "admin" | "read-only";
                    /** @enum {string} */
                    profile?: "full" | "guarded" | "read-only";
                    phones?: string[];
                    query: string;
                };
                answer: {
                    redirect_to: string;
                };
            };
            "GET /operator/hosts": {
                answer: {
                    data: {
                        id: string;
                        name: string;
                        country: string;
                        labels: {
                            [key: string]: string;
                        };
                        /** @enum {string} */
                        state: "online" | "degraded" | "refusing" | "stopping" | "late" | "lost" | "retired";
                        address: string | null;
                        version: string | null;
                        protocol_version: number | null;
                        report_fault: string | null;
                        problem: string | null;
                        refuses: string | null;
                        degraded: string | null;
                        degraded_until: string | null;
                        last_seen_at: string | null;
                        devices: number;
                        running: number;
                        retired_at: string | null;
                        certificate_expires_at: string;
                        authority_rotation: {
                            /** @enum {string} */
                            phase: "begun" | "switched";
                            /** @enum {string} */
                            trust: "unreported" | "earlier" | "both" | "renewed";
                            is_ready: boolean;
                        } | null;
                        drained_at: string | null;
                        drain_until: string | null;
                        load: number | null;
                        clock_ahead_ms: number | null;
                        ports: {
                            id: string;
                            serial: string;
                            maker: string | null;
                            model: string | null;
                            link: string;
                            drained_at: string | null;
                            /** @enum {string} */
                            state: "unenrolled" | "unauthorized" | "provisioning" | "free" | "assigned" | "wiping" | "quarantined" | "offline";
                            maintenance_at: string | null;
                            phone: {
                                id: string;
                                name: string;
                                /** @enum {string} */
                                status: "creating" | "starting" | "ready" | "parking" | "parked" | "unavailable" | "failed" | "deleted";
                                project_id: string;
                            } | null;
                        }[];
                    }[];
                };
            };
            "POST /operator/hosts/join-tokens": {
                answer: {
                    command: string;
                    expires_at: string;
                };
            };
            "POST /operator/hosts/:host/drain": {
                body: {
                    /** @default 1800 */
                    deadline_seconds?: number;
                };
            };
            "POST /operator/hosts/:host/undrain": Record<string, never>;
            "POST /operator/hosts/:host/retire": {
                body: {
                    /** @default false */
                    force?: boolean;
                };
            };
            "GET /operator/devices": {
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
                        is_running: boolean;
                    }[];
                };
            };
            "POST /operator/devices/:device/enroll": {
                body: {
                    serial: string;
                    fail_phone?: string | null;
                };
            };
            "POST /operator/devices/:device/release": {
                body: {
                    /** @default false */
                    keep?: boolean;
                };
            };
            "POST /operator/devices/:device/drain": {
                body: {
                    /** @default 1800 */
                    deadline_seconds?: number;
                };
            };
            "POST /operator/devices/:device/undrain": Record<string, never>;
            "POST /operator/devices/:device/maintenance": {
                body: {
                    note: string;
                };
            };
            "DELETE /operator/devices/:device/maintenance": Record<string, never>;
            "GET /operator/library/apps": {
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
                    is_configured: boolean;
                };
            };
            "POST /operator/library/files": {
                answer: {
                    file: string;
                };
            };
            "POST /operator/library/apps": {
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
            "DELETE /operator/library/apps/:package": Record<string, never>;
            "GET /operator/projects": {
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
            "PATCH /operator/projects/:project": {
                body: {
                    credit_usd?: string;
                    spend_limit_usd?: string;
                    max_phones?: number;
                    max_running?: number;
                    frozen?: boolean;
                };
            };
            "GET /operator/audit": {
                /** @enum {unknown} */
                query: "before" | "target";
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
            "GET /operator/invitations": {
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
            "DELETE /operator/invitations/:invitation": Record<string, never>;
            "GET /operator/system": {
                answer: {
                    service: {
                        epoch: string;
                        epoch_changed_at: string;
                        devices_to_confirm: number;
                        paused_at: string | null;
                    };
                    postgres: {
                        version: string | null;
                        size_bytes: number;
                        connections: number;
                        max_connections: number;
                        schema: number;
                    };
                    nats: {
                        is_connected: boolean;
                    };
                    storage: {
                        /** @enum {string} */
                        kind: "fs" | "s3" | "off";
                        place: string | null;
                    };
                    replicas: {
                        id: string;
                        beat_at: string;
                        is_running: boolean;
                    }[];
                    version: string;
                    replica_id: string;
                    clock_ahead_ms: number | null;
                };
            };
            "POST /operator/service/pause": Record<string, never>;
            "POST /operator/service/resume": Record<string, never>;
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
